// Prints a banner, and sends no responses.
console.log('Server listening! {"jsonrpc": "2.0"');
console.log('\u001b[31mred\u001b[0m');
process.stdin.resume();
