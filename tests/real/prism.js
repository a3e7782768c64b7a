// Runs Prism as a proxy for one document after another in a single process, because Prism takes
// longer to load than most documents.
//
//     node prism.js FOLDER
//
// FOLDER is the folder of the installation. Each line {"document", "service"} on standard input
// closes the previous document and gets a line {"url"} or {"error"} on standard output.

"use strict";

const { createRequire } = require("node:module");
const { createInterface } = require("node:readline");

const load = createRequire(`${process.argv[2]}/`);
const { createLogger } = load("@stoplight/prism-core");
const { getHttpOperationsFromSpec } = load("@stoplight/prism-http");
const { createServer } = load("@stoplight/prism-http-server");
const { header, query } = load("@stoplight/prism-http/dist/validator/deserializers");

// Prism crashes on a missing header.
const { simple } = header;
header.simple = (name, values, ...rest) =>
  values[name] === undefined ? undefined : simple(name, values, ...rest);

// Prism converts the names in a query to lower case but looks up an object's properties in their
// original case. It also reads a missing object as an object without fields.
const asWritten = { get: (values, name) => values[name] ?? values[String(name).toLowerCase()] };
for (const style of ["form", "deepObject"]) {
  const taken = query[style];
  query[style] = (name, values, schema, explode) => {
    const all = { ...values };
    for (const field of Object.keys(schema?.properties ?? {})) {
      const small = field.toLowerCase();
      if (small in values) all[field] = values[small];
    }
    const value = taken(name, new Proxy(all, asWritten), schema, explode);
    const fields = value?.constructor === Object ? Object.values(value) : [value];
    return fields.every((field) => field === undefined) ? undefined : value;
  };
}

// Prism sorts all operations of a document for each request, which takes a quarter of its time if there are many. Only
// those whose path matches can be the one that it chooses.
const router = load("@stoplight/prism-http/dist/router");
const { matchPath } = load("@stoplight/prism-http/dist/router/matchPath");
const { MatchType } = load("@stoplight/prism-http/dist/router/types");
const route = router.default;
router.default = ({ resources, input }) => {
  const asked = input.url.path;
  const steps = asked.split("/").length;
  const matches = ({ path }) =>
    path.split("/").length === steps && matchPath(asked, path).right !== MatchType.NOMATCH;
  const matching = asked.startsWith("/") ? resources.filter(matches) : [];
  return route({ resources: matching.length > 0 ? matching : resources, input });
};

// The optimisation of a compiled schema takes longer than its few uses.
const Ajv = createRequire(load.resolve("@stoplight/prism-http"))("ajv/dist/core").default;
const { compile } = Ajv.prototype;
Ajv.prototype.compile = function (...given) {
  this.opts.code.optimize = false;
  return compile.apply(this, given);
};

const logger = createLogger("judge", { level: "silent" });
let open;

// Does the same as `prism proxy --errors`, without the example paths that it prints.
async function judge({ document, service }) {
  if (open) open.close().catch(() => {});
  open = undefined;
  const operations = await getHttpOperationsFromSpec(document);
  if (operations.length === 0) throw new Error("no operations found");
  const server = createServer(operations, {
    cors: true,
    config: {
      checkSecurity: true,
      errors: true,
      isProxy: true,
      mock: { dynamic: false },
      upstream: new URL(service),
      validateRequest: true,
      validateResponse: true,
    },
    components: { logger },
  });
  const url = await server.listen(0, "127.0.0.1");
  open = server;
  return { url };
}

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const answer = await judge(JSON.parse(line)).catch((error) => ({ error: String(error) }));
    console.log(JSON.stringify(answer));
  })
  .on("close", () => process.exit(0));
