import { readFileSync } from "node:fs"
import { join } from "node:path"
import { missingFile, peerFolder } from "./peers-folder.ts"
import { prepareServer } from "./prepare-server.ts"
import type { Subject } from "./subject.ts"

const MODULES = join(peerFolder("portkey"), "node_modules")
const PACKAGE = join(MODULES, "@portkey-ai/gateway")
const SERVER = join(PACKAGE, "build/start-server.js")

/** Portkey's gateway on Node, the runtime that it is made for. */
export const portkey: Subject = {
  name: "portkey",
  work: {
    language: "TypeScript on Node",
    auth: "none (the caller brings the vendor's key)",
    money: "none",
    durability: "none",
    log: "none (headless)",
  },
  installation: {
    needs: ["node", "npm"],
    commands: (folder) => [
      // With a later version of node-server, streams end with "TypeError: immutable" (Portkey-AI/gateway, issue 1389).
      [
        ..."npm install --no-audit --no-fund --legacy-peer-deps --prefix".split(" "),
        folder,
        "@portkey-ai/gateway@1.15.2",
        "@hono/node-server@1.13.8",
      ],
    ],
  },
  missing() {
    if (Bun.which("node") === null) return "needs node"
    return missingFile("portkey", SERVER)
  },
  version() {
    const found = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
      version: string
    }
    return found.version
  },
  async prepare(upstream) {
    return prepareServer({
      name: "portkey",
      healthPath: "/",
      headers: {
        authorization: "Bearer upstream",
        "x-portkey-provider": "openai",
        "x-portkey-custom-host": upstream.baseUrl,
      },
      model: (model) => model,
      command: (port) => ["node", SERVER, `--port=${port}`, "--headless"],
    })
  },
}
