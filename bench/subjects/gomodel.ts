import { join } from "node:path"
import { firstLineOf, missingProgram, PEERS } from "./peers-folder.ts"
import { prepareServer } from "./prepare-server.ts"
import type { Subject } from "./subject.ts"

const PROGRAM = join(PEERS, "bin/gomodel")
const KEY = "bench"
/** The address of a closed port. GoModel requests a list of models, which is not needed. */
const NOWHERE = "http://127.0.0.1:9/models.json"

/** GoModel, with its own list of models and its statistics in SQLite. */
export const gomodel: Subject = {
  name: "gomodel",
  work: {
    language: "Go",
    auth: "one master key",
    money: "no holds and no limits; tokens and estimated costs are counted",
    durability: "usage is written every five seconds, after the response",
    log: "usage in SQLite; its audit log is off, as by default",
  },
  missing: () => missingProgram(PROGRAM),
  version: () => firstLineOf(PROGRAM, "--version").split(" ")[1] ?? "",
  async prepare(upstream) {
    return prepareServer({
      name: "gomodel",
      healthPath: "/health",
      headers: { authorization: `Bearer ${KEY}` },
      model: (model) => model,
      environment: (port, directory) => ({
        PORT: String(port),
        GOMODEL_MASTER_KEY: KEY,
        OPENAI_API_KEY: "upstream",
        OPENAI_BASE_URL: upstream.baseUrl,
        OPENAI_MODELS: "echo,fault-stall,embed,transcribe",
        CONFIGURED_PROVIDER_MODELS_MODE: "allowlist",
        MODEL_LIST_URL: NOWHERE,
        GOMODEL_CACHE_DIR: join(directory, "cache"),
        SQLITE_PATH: join(directory, "gomodel.db"),
        BODY_SIZE_LIMIT: "64M",
      }),
      command: () => [PROGRAM],
    })
  },
}
