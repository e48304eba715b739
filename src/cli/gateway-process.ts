import { App } from "../app.ts"
import { Redactor, secretsOf } from "../config/redactor.ts"
import type { LoadedSettings, LoadOptions } from "../config/load.ts"
import { watchSettings } from "../config/watch.ts"
import { createEvents } from "../telemetry/events.ts"
import { createLogger } from "../telemetry/logger.ts"

/** How a parent tells its workers where the simulator is, and that they are workers. */
export const SANDBOX_VARIABLE = "TOLLGATE_SANDBOX_URL"
export const WORKER_VARIABLE = "TOLLGATE_WORKER_NUMBER"

export interface GatewayOptions {
  readonly load: LoadOptions
  readonly loaded: LoadedSettings
  /** Where the simulator is, when it plays the vendor. */
  readonly sandboxUrl: string | undefined
  readonly isShared: boolean
}

/** A gateway in this process that follows its settings file. */
export interface Gateway extends AsyncDisposable {
  readonly app: App
}

/** Starts the gateway. Changed settings are taken over while it runs, bad ones are refused and told. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { load, loaded, sandboxUrl, isShared } = options
  const logger = createLogger({ level: process.env["TOLLGATE_LOG"] ?? "info" })
  const redactor = new Redactor()
  redactor.learn(secretsOf(loaded.settings))
  const events = createEvents(logger, (text) => redactor.clean(text))
  for (const warning of loaded.warnings) events.warning(warning)
  await using building = new AsyncDisposableStack()
  const { settings, written, file } = loaded
  const app = building.use(
    await App.start({ settings, written, file, sandboxUrl, events, redactor, isShared }),
  )
  const watcher = building.use(
    watchSettings({
      load,
      started: loaded,
      onChange: (next, { changed, restartNeeded }) => {
        app.apply(next.settings, next.written)
        for (const warning of next.warnings) events.warning(warning)
        events.settingsTaken(changed)
        if (restartNeeded.length > 0) {
          events.warning(`these settings need a restart: ${restartNeeded.join(", ")}`)
        }
      },
      onError: (error) => events.settingsRefused(error.message),
    }),
  )
  const reload = (): void => void watcher.reload()
  process.on("SIGHUP", reload)
  building.defer(() => void process.off("SIGHUP", reload))
  const running = building.move()
  return { app, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Resolves when the process is asked to end, or, in a worker, when its parent is gone. */
export function askedToEnd(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const reason of ["SIGTERM", "SIGINT", "disconnect"] as const) {
    process.once(reason, () => resolve())
  }
  return promise
}
