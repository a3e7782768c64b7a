// Drives a server with the client of the TypeScript SDK, and prints what happens as JSON. The steps are those
// of mcp_client.py.
//
//     node mcp_client.mjs MODULES STEPS -- COMMAND ARGUMENT…
//
// MODULES is the folder of the package `@modelcontextprotocol/sdk`.
const [, , modules, steps, , command, ...args] = process.argv;
const { Client } = await import(`${modules}/dist/esm/client/index.js`);
const { StdioClientTransport } = await import(`${modules}/dist/esm/client/stdio.js`);

let transport;
let client;

async function begin() {
  transport = new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
  client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
}

async function call({ name, arguments: given, fill = {} }, options) {
  const sizes = Object.entries(fill);
  const filled = Object.fromEntries(sizes.map(([name, size]) => [name, "x".repeat(size)]));
  const begun = performance.now();
  const seconds = () => (performance.now() - begun) / 1000;
  try {
    const sent = { name, arguments: { ...given, ...filled } };
    const result = await client.callTool(sent, undefined, options);
    return { result, seconds: seconds() };
  } catch (error) {
    return { error: { code: error.code, message: error.message }, seconds: seconds() };
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
    case "raw": {
      const lines = step.lines.map((line) => `${line}\n`);
      // The transport has no method for lines that are no messages.
      transport._process.stdin.write(lines.join(""));
      return {};
    }
    case "restart": {
      process.kill(transport.pid, "SIGKILL");
      const ended = await call(step);
      await begin();
      return ended;
    }
  }
}

await begin();
const taken = [];
for (const step of JSON.parse(steps)) taken.push(await take(step));
console.log(JSON.stringify({ revision: null, steps: taken }));
await client.close();
