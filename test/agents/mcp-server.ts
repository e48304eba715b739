import { createInterface } from "node:readline"

/** The only tool of a Model Context Protocol server, which uses standard input and output. */
const SHOUT = {
  name: "shout",
  description: "Returns a text in capital letters.",
  inputSchema: {
    type: "object",
    properties: { text: { type: "string" } },
    required: ["text"],
  },
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { text?: string } }
}

function resultOf({ method, params }: Message): object {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "voice", version: "1.0.0" },
      }
    case "tools/list":
      return { tools: [SHOUT] }
    case "tools/call":
      return { content: [{ type: "text", text: `${params?.arguments?.text}`.toUpperCase() }] }
    default:
      return {}
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message
  // Notifications are not answered.
  if (message.id === undefined) continue
  console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message) }))
}
