import type { DialectId } from "../../src/canon/extra.ts"
import type { ModelSettings, ProviderSettings } from "../../src/config/settings.ts"
import { provider, startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"
import type { Recording } from "../support/recordings.ts"
import {
  type Replay,
  type ReplayingVendor,
  startReplayingVendor,
} from "../support/replaying-vendor.ts"
import { PRICE } from "./plain-price.ts"

/** A recorded response that a gateway can return. */
export interface Staged {
  /** The id of the replay, which is also the vendor's name for the model. */
  readonly id: string
  /** The id of the provider, which is also the first part of the public model id. */
  readonly provider: string
  /** The vendor whose quirks apply to the provider. */
  readonly vendor: string
  /** The dialect of requests to the provider; absent: any dialect that the vendor supports. */
  readonly dialect?: DialectId
  /** Returns further settings of the provider for the vendor's address; absent: those of a compatible vendor. */
  settings?(url: string): ProviderSettings
  readonly replay: Replay
}

/** A gateway whose only vendor replays recordings, and a caller with many credits. */
export interface ReplayGateway extends AsyncDisposable {
  readonly gateway: TestGateway
  readonly vendor: ReplayingVendor
  readonly caller: TestCaller
  /** Returns the public model id of a replay. */
  modelOf(id: string): string
}

/** Returns a recording as a response of a provider. */
export function staged({ id, vendor, replay }: Recording): Staged {
  return { id, provider: vendor, vendor, replay }
}

/** Starts a gateway for many replays. */
export async function startReplayGateway(replays: readonly Staged[]): Promise<ReplayGateway> {
  const vendor = startReplayingVendor(new Map(replays.map(({ id, replay }) => [id, replay])))
  const models: Record<string, ModelSettings> = {}
  const providers: Record<string, ProviderSettings> = {}
  const publicModels = new Map<string, string>()
  for (const [index, each] of replays.entries()) {
    const { id, provider: name, dialect } = each
    const settings = each.settings?.(vendor.url) ?? provider(`${vendor.url}/v1`, each.vendor)
    // This test compares tokens. Other billed features are covered by other tests.
    providers[name] = { ...settings, prices: { modes: { priority: "1", flex: "1" } } }
    const model = `${name}/${index}`
    publicModels.set(id, model)
    models[model] = {
      kind: "chat",
      price: PRICE,
      multiplier: "1.1",
      context: 2_000_000,
      maxOutput: 100_000,
      deployments: [
        { provider: name, model: id, weight: 1, ...(dialect && { dialects: [dialect] }) },
      ],
    }
  }
  const gateway = await startGateway({ models, providers, settings: { unpricedFeatures: "allow" } })
  return {
    gateway,
    vendor,
    caller: await gateway.caller("100000"),
    modelOf(id) {
      const model = publicModels.get(id)
      if (model === undefined) throw new Error(`'${id}' is not staged`)
      return model
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await vendor[Symbol.asyncDispose]()
    },
  }
}
