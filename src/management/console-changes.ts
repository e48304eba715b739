import type { Store } from "../store/store.ts"
import { StoreError } from "../store/store-error.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Actor } from "./actor.ts"
import type { Audit, AuditedChange } from "./audit.ts"
import type { EntryChange, LiveSettings } from "./live-settings.ts"

/** Changes the console's settings. When a method resolves, its change is stored, audited and active. */
export class ConsoleChanges {
  readonly live: LiveSettings
  readonly #store: Store
  readonly #audit: Audit

  constructor(live: LiveSettings, store: Store, audit: Audit) {
    this.live = live
    this.#store = store
    this.#audit = audit
  }

  /**
   * Makes a change.
   * @throws GatewayError `conflict` if the same entry was changed in the meantime.
   */
  async make(actor: Actor, change: AuditedChange, entries: readonly EntryChange[]): Promise<void> {
    const changes = this.live.prepare(entries)
    try {
      const state = await this.#audit.perform(actor, change, (record) =>
        this.#store.settings.change(changes, Date.now(), record),
      )
      await this.live.taken(state)
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "conflict") throw error
      await this.live.refresh()
      throw new GatewayError(
        "conflict",
        "Someone else changed this at the same time. Reload and try again.",
        { cause: error },
      )
    }
  }
}

/** Builds the error for a setting that the file or the environment sets. It can only be changed there. */
export function locked(what: string, origin: "file" | "environment" | "sandbox"): GatewayError {
  const place = {
    file: "the settings file (tollgate.yaml): change it there",
    environment: "environment variables: change them where the gateway is started",
    sandbox: "the simulator, which is active until a vendor is configured",
  }[origin]
  return new GatewayError("conflict", `${what} comes from ${place}.`)
}
