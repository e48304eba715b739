import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Upstream } from "../upstream.ts"
import { firstLineOf, missingFile, peerFolder } from "./peers-folder.ts"
import { prepareServer } from "./prepare-server.ts"
import type { Subject } from "./subject.ts"

const FOLDER = peerFolder("litellm")
const PROGRAM = join(FOLDER, "bin/litellm")
const PYTHON = join(FOLDER, "bin/python")
const KEY = "sk-bench"
/** The version must not be 1.82.7 or 1.82.8, which contained malware. */
const VERSION = "1.106.12"
const MODELS = [
  ["echo", "chat"],
  ["fault-stall", "chat"],
  ["embed", "embedding"],
  ["transcribe", "audio_transcription"],
] as const

/** LiteLLM's proxy with one worker and a master key. Keys and budgets would need PostgreSQL. */
export const litellm: Subject = {
  name: "litellm",
  work: {
    language: "Python",
    auth: "one master key",
    money: "no holds and no limits; the cost of each response is computed",
    durability: "none (no database)",
    log: "none",
  },
  installation: {
    needs: ["python3"],
    commands: (folder) => [
      ["python3", "-m", "venv", folder],
      [join(folder, "bin/pip"), "install", "--quiet", `litellm[proxy]==${VERSION}`],
    ],
  },
  missing: () => missingFile("litellm", PROGRAM),
  version: () =>
    firstLineOf(PYTHON, "-c", "import importlib.metadata as m; print(m.version('litellm'))"),
  async prepare(upstream) {
    return prepareServer({
      name: "litellm",
      healthPath: "/health/liveliness",
      headers: { authorization: `Bearer ${KEY}` },
      model: (model) => model,
      // Without this variable, LiteLLM downloads its price list.
      environment: () => ({ LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_LOG: "ERROR" }),
      command(port, directory) {
        const file = join(directory, "config.yaml")
        writeFileSync(file, settings(upstream))
        const address = ["--host", "127.0.0.1", "--port", String(port)]
        return [PROGRAM, "--config", file, ...address, "--num_workers", "1"]
      },
    })
  },
}

function settings(upstream: Upstream): string {
  const models = MODELS.map(
    ([name, mode]) => `  - model_name: ${name}
    litellm_params: { model: "openai/${name}", api_base: "${upstream.baseUrl}", api_key: upstream }
    model_info: { mode: ${mode}, input_cost_per_token: 0.0000001, output_cost_per_token: 0.0000004 }
`,
  )
  return `model_list:
${models.join("")}litellm_settings: { telemetry: false, num_retries: 0, request_timeout: 600 }
general_settings: { master_key: ${KEY} }
`
}
