import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse, stringify } from "yaml"
import { type Simulator, startSimulator } from "../../simulator/server.ts"
import { freePort } from "../support/free-port.ts"
import { createInstallation, type Installation, startServing } from "../support/process.ts"

export const EXAMPLES_FOLDER = Bun.fileURLToPath(new URL("../../examples", import.meta.url))

/** Vendors whose base URL does not contain a version. */
const WITHOUT_VERSION = new Set(["anthropic", "cohere", "google"])
const VARIABLE = /\$\{(\w+)\}/g

/** The settings of an example that a test replaces. */
interface ExampleSettings {
  server?: Record<string, unknown>
  readonly providers: Readonly<Record<string, { readonly vendor: string; base_url?: string }>>
}

/** The gateway of an example. The simulator replaces its providers. */
export interface ExampleGateway extends AsyncDisposable {
  readonly url: string
  /** The first key, which belongs to the account `demo`. */
  readonly key: string
  readonly installation: Installation
  readonly simulator: Simulator
  /** The values of the variables in the settings. */
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Starts the gateway with the settings of an example.
 * @param replace replaces parts of the settings text.
 */
export async function startExample(
  name: string,
  replace: (text: string) => string = (text) => text,
  own: Readonly<Record<string, string>> = {},
): Promise<ExampleGateway> {
  const text = replace(readFileSync(join(EXAMPLES_FOLDER, name, "tollgate.yaml"), "utf8"))
  const settings = parse(text) as ExampleSettings
  const simulator = startSimulator()
  const port = freePort()
  const isPublic = settings.server?.["public_url"] !== undefined
  const address = isPublic ? { public_url: `http://127.0.0.1:${port}` } : {}
  settings.server = { ...settings.server, port, ...address }
  for (const provider of Object.values(settings.providers)) {
    const version = WITHOUT_VERSION.has(provider.vendor) ? "" : "/v1"
    provider.base_url = `${simulator.url}/vendors/${provider.vendor}${version}`
  }
  const names = [...text.matchAll(VARIABLE)].map(([, variable = ""]) => variable)
  const variables = { ...Object.fromEntries(names.map((one) => [one, `test-${one}`])), ...own }
  const installation = createInstallation(stringify(settings))
  const serving = await startServing(installation, variables)
  return {
    url: serving.url,
    key: /^key: (\S+)$/m.exec(serving.output())?.[1] ?? "",
    installation,
    simulator,
    variables,
    async [Symbol.asyncDispose]() {
      await serving[Symbol.asyncDispose]()
      await simulator[Symbol.asyncDispose]()
      installation[Symbol.dispose]()
    },
  }
}
