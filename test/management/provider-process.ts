import { runtimeConfigOf } from "../../src/app/state.ts"
import type { Catalog } from "../../src/catalog/catalog.ts"
import { LearnedRules } from "../../src/catalog/learned-rules.ts"
import { GatewayError } from "../../src/canon/errors.ts"
import { SecretCipher } from "../../src/config/secret-cipher.ts"
import type { Settings } from "../../src/config/settings.ts"
import { Audit } from "../../src/management/audit.ts"
import { ConsoleChanges } from "../../src/management/console-changes.ts"
import { LiveSettings } from "../../src/management/live-settings.ts"
import { Models } from "../../src/management/models.ts"
import { PriceGroupManagement } from "../../src/management/price-groups.ts"
import { Providers } from "../../src/management/providers.ts"
import { GatewaySettings } from "../../src/management/settings.ts"
import { Health } from "../../src/routing/health.ts"
import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import type { Store } from "../../src/store/store.ts"
import { vendors } from "../../src/vendors/index.ts"

/** The services of one process. */
export class Process {
  readonly live: LiveSettings
  readonly health = new Health()
  readonly learnedRules = new LearnedRules()
  readonly catalog: () => Catalog
  readonly providers: Providers
  readonly models: Models
  readonly gatewaySettings: GatewaySettings
  readonly groups: PriceGroupManagement
  /** The time that determines the current multipliers of the price groups. */
  clock = Date.parse("2026-11-24T12:00:00Z")
  applied = 0

  private constructor(store: Store, live: LiveSettings) {
    this.live = live
    const catalog = (this.catalog = () => runtimeConfigOf(live.effective).config.catalog)
    const changes = new ConsoleChanges(live, store, new Audit(store))
    const parts = { changes, health: this.health, catalog }
    this.providers = new Providers(parts)
    this.models = new Models({
      ...parts,
      learnedRules: this.learnedRules,
      failures: { list: async () => [] },
    })
    this.groups = new PriceGroupManagement({ ...parts, store, now: () => this.clock })
    this.gatewaySettings = new GatewaySettings({
      ...parts,
      file: "/etc/tollgate.yaml",
      openReader: async () => store,
    })
  }

  static async start(store: Store, settings: Settings, sandboxUrl?: string): Promise<Process> {
    const process: { current?: Process } = {}
    const live = await LiveSettings.open({
      store,
      cipher: new SecretCipher(new SecretFolder(settings.data)),
      vendors: [...vendors.values()],
      base: { settings, written: ["multiplier"] },
      sandboxUrl,
      prepare: async () => () => {
        if (process.current) process.current.applied++
      },
      onConsoleChange: () => {},
      warn: () => {},
    })
    process.current = new Process(store, live)
    return process.current
  }
}

export async function kindOf(work: () => unknown): Promise<string> {
  try {
    await work()
    return "done"
  } catch (error) {
    return error instanceof GatewayError ? error.kind : String(error)
  }
}
