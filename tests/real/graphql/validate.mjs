// Validates operations with the reference implementation: node validate.mjs SCHEMA OPERATIONS
// OPERATIONS is a JSON array of texts. Prints the faults, a line each, and their number.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [schemaPath, operationsPath] = process.argv.slice(2);
const require = createRequire(process.env.REAL + '/graphql/');
const { buildClientSchema, buildSchema, parse, validate } = require('graphql');
const text = readFileSync(schemaPath, 'utf8');
const schema = schemaPath.endsWith('.json')
  ? buildClientSchema(JSON.parse(text).data ?? JSON.parse(text))
  : buildSchema(text, { assumeValidSDL: true });
let faults = 0;
for (const operation of JSON.parse(readFileSync(operationsPath, 'utf8'))) {
  for (const error of validate(schema, parse(operation))) {
    faults += 1;
    console.log(`${error.message}\n    ${operation.slice(0, 300)}`);
  }
}
console.log(`${faults} faults`);
