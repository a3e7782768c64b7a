// The tools of a role, as functions. Written by `toolwright export --target typescript`.
// A program of this module needs a server: `toolwright serve --transport socket`.

import { createConnection } from "node:net";
import { env } from "node:process";

/** The refusal or the failure of a call. */
export class ToolError extends Error {
  /** The code of the error, such as `approval_required`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "ToolError";
    this.code = code;
  }
}

type Answer = { result: unknown } | { error: { code: string; message: string } };

/** Calls a tool by its name. */
export function call(tool: string, args: object): Promise<unknown> {
  const path = env["TOOLWRIGHT_SOCKET"];
  if (path === undefined) {
    return Promise.reject(new ToolError("no_socket", "TOOLWRIGHT_SOCKET is not set"));
  }
  const request = Buffer.from(JSON.stringify({ tool, arguments: args }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(request.length);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = createConnection({ path });
    socket.on("error", reject);
    socket.on("data", (block: Buffer) => received.push(block));
    // The server closes the connection after its answer.
    socket.on("end", () => {
      const answer = Buffer.concat(received);
      if (answer.length < 4 || answer.length !== 4 + answer.readUInt32BE(0)) {
        reject(new ToolError("no_answer", "the server closed the connection"));
        return;
      }
      const read = JSON.parse(answer.subarray(4).toString("utf8")) as Answer;
      if ("error" in read) {
        reject(new ToolError(read.error.code, read.error.message));
      } else {
        resolve(read.result);
      }
    });
    socket.write(Buffer.concat([length, request]));
  });
}
