import type { ModelRules } from "tollgate-contract/model-rules.ts"
import type { ModelSettings } from "../../src/config/settings.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../support/gateway.ts"
import { type Format, type Situation, written } from "./situation.ts"

/** A model at a vendor that the simulator plays with its limits. */
export interface StrictModel {
  readonly vendor: string
  readonly model: string
  readonly rules?: ModelRules
}

export interface Outcome {
  readonly status: number
  readonly text: string
  readonly losses: string
}

/** Addresses end differently: some formats have their version in the path of the request. */
const WITHOUT_VERSION: ReadonlySet<string> = new Set(["anthropic", "bedrock", "cohere", "google"])

/** A gateway before the simulator, which plays each vendor with its limits. */
export class StrictWorld implements AsyncDisposable {
  readonly #gateway: TestGateway
  readonly #caller: TestCaller

  private constructor(gateway: TestGateway, caller: TestCaller) {
    this.#gateway = gateway
    this.#caller = caller
  }

  static async start(models: Readonly<Record<string, StrictModel>>): Promise<StrictWorld> {
    // What is learned of a model of one provider applies to no other.
    const entries = Object.entries(models).map(
      ([id, settings], index) =>
        [id, { ...settings, name: `${settings.vendor}-${index}` }] as const,
    )
    const settings = entries.map(([id, { name, model, rules }]) => {
      const deployments = [{ provider: name, model, weight: 1 }]
      return [id, simulated({ deployments, ...(rules && { rules }) })] as const
    })
    const gateway = await startGateway({
      providersAt: (url) =>
        Object.fromEntries(
          entries.map(([, { vendor, name }]) => {
            const root = `${url}/vendors/${vendor}`
            return [name, provider(WITHOUT_VERSION.has(vendor) ? root : `${root}/v1`, vendor)]
          }),
        ),
      models: Object.fromEntries<ModelSettings>(settings),
    })
    return new StrictWorld(gateway, await gateway.caller("1000"))
  }

  /** @returns undefined if the format cannot express the situation. */
  async ask(
    format: Format,
    model: string,
    situation: Situation,
    stream: boolean,
  ): Promise<Outcome | undefined> {
    const request = written(format, model, situation, stream)
    if (request === undefined) return undefined
    const response = await this.#caller.post(request.path, request.body)
    return {
      status: response.status,
      text: await response.text(),
      losses: response.headers.get("x-tollgate-losses") ?? "",
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway[Symbol.asyncDispose]()
  }
}
