// Reads its input, and sends nothing.
process.stdin.resume();
