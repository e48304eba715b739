import type { ModelRules } from "tollgate-contract/model-rules.ts"
import type { ModelSettings } from "../../src/config/settings.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../support/gateway.ts"
import { googleAccount, startTokenServer, type TokenServer } from "../support/google-account.ts"
import { type Format, type Situation, written } from "./situation.ts"

/** A model of a vendor that the simulator plays, including its limits. */
export interface StrictModel {
  readonly vendor: string
  readonly model: string
  readonly rules?: ModelRules
  /** The vendor in the settings, if it differs from the simulated vendor. */
  readonly configured?: string
}

export interface Outcome {
  readonly format: Format
  readonly status: number
  readonly text: string
  readonly losses: string
}

/** Vendors whose base URL has no version, because the path of each request contains it. */
const WITHOUT_VERSION: ReadonlySet<string> = new Set([
  "anthropic",
  "bedrock",
  "cohere",
  "google",
  "vertex",
])

/** A gateway with the simulator, which plays each vendor with its limits. */
export class StrictWorld implements AsyncDisposable {
  readonly #gateway: TestGateway
  readonly #caller: TestCaller

  readonly #tokens: TokenServer

  private constructor(gateway: TestGateway, caller: TestCaller, tokens: TokenServer) {
    this.#gateway = gateway
    this.#caller = caller
    this.#tokens = tokens
  }

  static async start(models: Readonly<Record<string, StrictModel>>): Promise<StrictWorld> {
    // Each model has its own provider, because a rule learned for a model of one provider does not apply to others.
    const entries = Object.entries(models).map(
      ([id, settings], index) =>
        [id, { ...settings, name: `${settings.vendor}-${index}` }] as const,
    )
    const settings = entries.map(([id, { name, model, rules }]) => {
      const deployments = [{ provider: name, model, weight: 1 }]
      return [id, simulated({ maxOutput: 10_000, deployments, ...(rules && { rules }) })] as const
    })
    const tokens = startTokenServer()
    const gateway = await startGateway({
      providersAt: (url) =>
        Object.fromEntries(
          entries.map(([, { vendor, name, configured = vendor }]) => {
            const root = `${url}/vendors/${vendor}`
            const plain = provider(WITHOUT_VERSION.has(vendor) ? root : `${root}/v1`, configured)
            const credentials = googleAccount(tokens.url)
            return [name, vendor === "vertex" ? { ...plain, credentials } : plain]
          }),
        ),
      models: Object.fromEntries<ModelSettings>(settings),
    })
    return new StrictWorld(gateway, await gateway.caller("1000"), tokens)
  }

  /** Sends a request in each of the formats, streamed and not streamed, unless one of the two is sufficient. */
  askAll(
    formats: readonly Format[],
    model: string,
    situation: Situation,
    streams: readonly boolean[] = [false, true],
  ): Promise<Outcome[]> {
    const asked = formats.flatMap((format) => streams.map((stream) => ({ format, stream })))
    return Promise.all(
      asked.map(async ({ format, stream }) => {
        const request = written(format, model, situation, stream)
        if (request === undefined) throw new Error(`${format} cannot express the request`)
        const response = await this.#caller.post(request.path, request.body)
        return {
          format,
          status: response.status,
          text: await response.text(),
          losses: response.headers.get("x-tollgate-losses") ?? "",
        }
      }),
    )
  }

  /** Returns the last request that a vendor received. */
  get lastSent(): { readonly path: string; readonly body: unknown } {
    const { path = "", body } = this.#gateway.simulator.requests.at(-1) ?? {}
    return { path, body }
  }

  /** Sends a request in the vendor's own format directly to the vendor. */
  async askVendor(
    format: Format,
    { vendor, model }: StrictModel,
    situation: Situation,
  ): Promise<Pick<Outcome, "status" | "text"> | undefined> {
    const request = written(format, model, situation, false)
    if (request === undefined) return undefined
    const response = await fetch(
      `${this.#gateway.simulator.url}/vendors/${vendor}${request.path}`,
      {
        method: "POST",
        headers: {
          authorization: "Bearer key",
          "x-api-key": "key",
          "x-goog-api-key": "key",
          "anthropic-version": "2023-06-01",
        },
        body: JSON.stringify(request.body),
      },
    )
    return { status: response.status, text: await response.text() }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]()
    this.#tokens[Symbol.dispose]()
  }
}
