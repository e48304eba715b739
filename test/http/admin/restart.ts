import { App } from "../../../src/app.ts"
import type { Settings } from "../../../src/config/settings.ts"
import type { Events } from "../../../src/telemetry/events.ts"
import type { TestGateway } from "../../support/gateway.ts"

export interface RestartedGateway extends AsyncDisposable {
  readonly url: string
  /** The warnings that the new gateway logged. */
  readonly warnings: readonly string[]
}

/** Ends a gateway and starts another one with its data, optionally with another settings file. */
export async function restart(
  gateway: TestGateway,
  settings: Partial<Settings> = {},
  written: readonly string[] = [],
): Promise<RestartedGateway> {
  await gateway.app[Symbol.asyncDispose]()
  const warnings: string[] = []
  const events = new Proxy({} as Events, {
    get: (_, name) => (message: unknown) => {
      if (name === "warning") warnings.push(String(message))
    },
  })
  const app = await App.start({
    settings: { ...gateway.settings, ...settings },
    written,
    events,
    isShared: false,
  })
  return { url: app.url, warnings, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}
