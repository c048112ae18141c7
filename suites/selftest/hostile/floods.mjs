// Writes a gigabyte of short lines to stdout.
const block = Buffer.from('flood\n'.repeat(100_000));
let left = 2 ** 30;
const more = () => {
  while (left > 0) {
    left -= block.length;
    if (!process.stdout.write(block)) {
      process.stdout.once('drain', more);
      return;
    }
  }
};
process.stdout.on('error', () => process.exit(1));
more();
setInterval(() => {}, 1000);
