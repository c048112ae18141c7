// Writes one line without end.
const block = Buffer.alloc(1 << 20, 'x');
const more = () => {
  while (process.stdout.write(block));
  process.stdout.once('drain', more);
};
process.stdout.on('error', () => process.exit(1));
more();
