// What a client under test starts in place of a browser: hands over what it was asked to open.
const { MCP_CONFORM_BROWSER } = process.env;
if (MCP_CONFORM_BROWSER)
  await fetch(MCP_CONFORM_BROWSER, { method: 'POST', body: JSON.stringify(process.argv.slice(2)) });
// whoever started it may have to wait for it, and to answer the browser too
process.exit(0);
