import { join } from "node:path"
import { prepareServer } from "./prepare-server.ts"
import type { Subject } from "./subject.ts"

const PROXY = join(import.meta.dir, "../bare-proxy.ts")

function bareSubject(name: "bare" | "pipe"): Subject {
  return {
    name,
    work: {
      language: "TypeScript on Bun",
      auth: "none",
      money: "none",
      durability: "none",
      log: "none",
    },
    missing: () => undefined,
    version: () => `on Bun ${Bun.version}`,
    async prepare(upstream) {
      return prepareServer({
        name,
        healthPath: "/healthz",
        headers: {},
        model: (model) => `bench/${model}`,
        command: (port) => [process.execPath, PROXY, String(port), upstream.baseUrl, name],
      })
    },
  }
}

/** The bare proxy, which parses requests, renames the model and forwards them. */
export const bare = bareSubject("bare")
/** The bare proxy without parsing of streams. It is closer to the limit of the runtime. */
export const pipe = bareSubject("pipe")
