// Drives a server with the client of the TypeScript SDK, and prints what happens as JSON. The steps are those
// of mcp_client.py.
//
//     node mcp_client.mjs MODULES STEPS -- COMMAND ARGUMENT…
//
// MODULES is the folder of the package `@modelcontextprotocol/sdk`.
const [, , modules, steps, , command, ...args] = process.argv;
const { Client } = await import(`${modules}/dist/esm/client/index.js`);
const { StdioClientTransport } = await import(`${modules}/dist/esm/client/stdio.js`);

const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);

async function call({ name, arguments: given }, options) {
  try {
    return { result: await client.callTool({ name, arguments: given }, undefined, options) };
  } catch (error) {
    return { error: { code: error.code, message: error.message } };
  }
}

async function list() {
  const pages = [await client.listTools()];
  while (pages.at(-1).nextCursor)
    pages.push(await client.listTools({ cursor: pages.at(-1).nextCursor }));
  const tools = pages.flatMap((page) => page.tools);
  return { tools, pages: pages.length, cacheScope: pages[0].cacheScope };
}

async function take(step) {
  switch (step.do) {
    case "list":
      return list();
    case "call":
      return call(step);
    case "parallel": {
      const ended = await Promise.all(Array.from({ length: step.count }, () => call(step)));
      const other = ended.filter(({ result }) => !result || result.isError);
      return { ok: ended.length - other.length, other: other.slice(0, 3) };
    }
    case "cancel": {
      const ended = await call(step, { timeout: step.after * 1000 });
      return { given_up: ended.error !== undefined };
    }
  }
}

const taken = [];
for (const step of JSON.parse(steps)) taken.push(await take(step));
console.log(JSON.stringify({ revision: null, steps: taken }));
await client.close();
