// A service of GraphQL for the tests: notes in memory, with pages, a union, an interface, custom scalars,
// and each way to fail. GET /schema serves its schema in the definition language, and GET /seen the
// requests that it received.
import { createRequire } from 'node:module';
import { createServer } from 'node:http';

const require = createRequire(process.env.REAL + '/npm/graphql/');
const { createSchema, createYoga } = require('graphql-yoga');
const { GraphQLError, GraphQLScalarType } = require('graphql');

const typeDefs = /* GraphQL */ `
  "An instant of ISO 8601."
  scalar DateTime
  scalar Labels
  enum Colour { RED BLUE }
  interface Thing { id: ID! }
  type Author implements Thing { id: ID! name: String! notes(first: Int, after: String): NoteConnection! }
  "A note on the board."
  type Note implements Thing {
    id: ID!
    title: String!
    colour: Colour
    createdAt: DateTime!
    labels: Labels
    author: Author
    "Fails for the note 2."
    secretPart: String
  }
  union Hit = Note | Author
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type NoteEdge { cursor: String! node: Note! }
  type NoteConnection { edges: [NoteEdge!]! pageInfo: PageInfo! totalCount: Int! }
  input NewNote { title: String! colour: Colour = BLUE labels: Labels }
  type CreateNotePayload { note: Note }
  type Query {
    "A note by its id."
    note(id: ID!): Note
    "The notes, a page at a time."
    notes(first: Int = 2, after: String): NoteConnection!
    "Searches notes and authors."
    search(word: String!): [Hit!]!
    "Always fails."
    broken: String
    "Fails, with a stack of the server."
    brokenWithStack: String!
    whoAmI: String
  }
  type Mutation {
    createNote(input: NewNote!): CreateNotePayload!
    deleteNote(id: ID!): Boolean!
    "Notes the call, and fails."
    failLate: Boolean
  }
  type Subscription { noteCreated: Note! }
`;

const author = { __typename: 'Author', id: 'a1', name: 'Ida' };
const made = (id, title) => ({
  __typename: 'Note', id: String(id), title, colour: 'RED', createdAt: '2026-01-02T03:04:05Z',
  labels: { weight: id }, author,
});
const notes = new Map([1, 2, 3, 4, 5].map((id) => [String(id), made(id, `Note ${id}`)]));
let late = 0;
const seen = [];

const scalar = (name) => new GraphQLScalarType({ name });
const page = ({ first, after }) => {
  const all = [...notes.values()];
  const start = after ? all.findIndex((note) => note.id === after) + 1 : 0;
  const part = all.slice(start, start + first);
  return {
    edges: part.map((node) => ({ cursor: node.id, node })),
    pageInfo: { hasNextPage: start + first < all.length, endCursor: part.at(-1)?.id ?? null },
    totalCount: all.length,
  };
};
const resolvers = {
  DateTime: scalar('DateTime'),
  Labels: scalar('Labels'),
  Author: { notes: (_, args) => page({ first: 2, ...args }) },
  Note: {
    secretPart: (note) => {
      if (note.id === '2') {
        throw new GraphQLError('you may not read this part', { extensions: { code: 'FORBIDDEN', inner: 'host-7' } });
      }
      return 'part';
    },
  },
  Query: {
    note: (_, { id }) => notes.get(id),
    notes: (_, args) => page(args),
    search: (_, { word }) => [...notes.values(), author].filter((hit) => (hit.title ?? hit.name).includes(word)),
    broken: () => { throw new GraphQLError('the board is closed', { extensions: { code: 'CLOSED' } }); },
    brokenWithStack: () => { throw new Error('internal: /srv/board.js'); },
    whoAmI: (_, __, context) => context.request.headers.get('authorization'),
  },
  Mutation: {
    createNote: (_, { input }) => {
      const id = String(notes.size + 1);
      notes.set(id, { ...made(Number(id), input.title), colour: input.colour, labels: input.labels });
      return { note: notes.get(id) };
    },
    deleteNote: (_, { id }) => notes.delete(id),
    failLate: () => { late += 1; throw new GraphQLError('too late'); },
  },
};

const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false });
createServer((request, response) => {
  const json = (value) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value));
  };
  if (request.url === '/schema') {
    response.end(typeDefs);
  } else if (request.url === '/seen') {
    json({ requests: seen, late });
  } else {
    if (request.url.startsWith('/graphql') && request.method === 'POST') {
      seen.push({ accept: request.headers.accept, type: request.headers['content-type'] });
    }
    yoga(request, response);
  }
}).listen(Number(process.argv[2]), '127.0.0.1');
