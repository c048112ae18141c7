// Program that a client under test starts as a browser: passes the address to the harness.
const { MCP_CONFORM_BROWSER } = process.env;
if (MCP_CONFORM_BROWSER)
  await fetch(MCP_CONFORM_BROWSER, { method: 'POST', body: JSON.stringify(process.argv.slice(2)) });
// the client may wait for this program while it handles the request of the browser
process.exit(0);
