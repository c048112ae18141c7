// Cannot start.
console.error('Error: the environment variable TOKEN is not set');
process.exit(3);
