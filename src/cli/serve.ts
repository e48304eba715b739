import { mkdirSync } from "node:fs"
import type { Command } from "commander"
import { runtimeConfigOf } from "../app/state.ts"
import { addressOf } from "../app/address.ts"
import { logLevel } from "../config/environment.ts"
import type { Catalog } from "../catalog/catalog.ts"
import { type LoadOptions, loadSettings } from "../config/load.ts"
import type { Settings } from "../config/settings.ts"
import { FIRST_ACCOUNT } from "../management/first-account.ts"
import { setAnchorAside } from "../ledger/anchor-file.ts"
import { LedgerError } from "../store/ledger-error.ts"
import { databaseOf } from "../store/installation-database.ts"
import type { Snapshot } from "../metrics/registry.ts"
import { programWords } from "../runtime.ts"
import { createEvents } from "../telemetry/log-events.ts"
import { createLogger } from "../telemetry/logger.ts"
import { banner, consoleAddress } from "./banner.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { firstStart } from "./first-start.ts"
import {
  EndRequests,
  type GatewayOptions,
  SANDBOX_VARIABLE,
  startGateway,
  WORKER_VARIABLE,
} from "./gateway-process.ts"
import { loadOptions } from "./load-options.ts"
import { openMetricsPort } from "./metrics-port.ts"
import type { Output } from "./output.ts"
import { endReplaced, findReplaced, replacementWarnings } from "./replaced-gateway.ts"
import type { ProcessStart } from "./replace-process.ts"
import { startSandbox } from "./sandbox-process.ts"
import { effectiveSettings, settingsToServe, type WholeSettings } from "./whole-settings.ts"
import { ParentLine, Workers } from "./workers.ts"
import { Redactor } from "../canon/redactor.ts"
import { secretsOf } from "../config/secret-values.ts"
import type { MetricPush } from "../otlp/metric-push.ts"

const NEW_LEDGER = "--new-ledger"
const REPLACE = "--replace"

/** `tollgate serve` */
export const registerServe: RegisterCommand = (program, terminal) => {
  program
    .command("serve")
    .description("start the gateway (default); without a configured provider it serves a simulator")
    .option(NEW_LEDGER, "start a new, empty ledger if the previous one is missing")
    .option(
      REPLACE,
      "take over the port of the gateway that runs with this data folder, and stop that gateway",
    )
    .action(async (options: ServeOptions, command: Command) => {
      const load = loadOptions(command)
      if (process.env[WORKER_VARIABLE] !== undefined) return serveAsWorker(load)
      if (options.newLedger === true) await beginLedger(loadSettings(load).settings)
      await serve(load, outputOf(command, terminal), options)
    })
}

interface ServeOptions {
  readonly newLedger?: boolean
  /** Whether to replace a running gateway. It is stopped after the new gateway listens. */
  readonly replace?: boolean
  /** Whether to run the simulator regardless of the settings, in a single process. */
  readonly isDemo?: boolean
}

/** Serves until shutdown. */
export async function serve(
  load: LoadOptions,
  output: Output,
  { replace = false, isDemo = false }: ServeOptions = {},
): Promise<void> {
  const loaded = loadSettings(load)
  const { settings } = loaded
  // Checked before the first key is created, because the key is only printed by a successful start.
  const replaced = replace ? findReplaced(settings.server.port, settings.data) : undefined
  const port = replaced ? settings.server.port : findPort(settings.server)
  const asked = new EndRequests()
  await using running = new AsyncDisposableStack()
  const whole = await settingsToServe(load, loaded)
  const hasSandbox = isDemo || !whole.hasProviders
  const sandboxUrl = hasSandbox ? running.use(await startSandbox()).url : undefined
  const key = whole.hasAccounts ? undefined : await firstStart(settings)
  // Metrics are sent until the last request has ended.
  const push = running.use(await openMetricPush(settings))
  const serving =
    settings.server.workers > 1 && !isDemo
      ? await startWorkers(running, whole, { port, sandboxUrl })
      : await startAlone(running, { load, loaded, sandboxUrl })
  const { url } = serving
  asked.onAgain = serving.stopWaiting
  const { metrics } = settings
  const { snapshots } = serving
  if (metrics?.port !== undefined && snapshots) {
    const text = async (): Promise<string> => {
      const { textOf } = await import("../metrics/registry.ts")
      return textOf(await snapshots())
    }
    running.use(openMetricsPort(metrics, text, replaced !== undefined))
  }
  if (snapshots) push?.begin(snapshots)
  const { catalog } = serving
  const database = databaseOf(settings)
  const secrets = await database.openSecrets()
  const consoleUrl = consoleAddress(url, secrets, await database.hasOperator())
  const document = {
    url,
    console: consoleUrl,
    ...(key === undefined ? {} : { account: FIRST_ACCOUNT, key }),
    models: catalog.list().length,
    sandbox: hasSandbox,
  }
  output.result(document, () => banner({ url, consoleUrl, key, catalog, hasSandbox }))
  if (replaced) {
    for (const warning of replacementWarnings(settings.server.drainDelay)) output.notice(warning)
    endReplaced(replaced)
  }
  await asked.first
  output.notice("Finishing running requests ...")
}

/** The part of the process that serves requests, or its workers. */
interface Serving {
  readonly url: string
  readonly catalog: Catalog
  /** Stops waiting for running requests. */
  readonly stopWaiting: () => void
  /** Returns the metrics of all workers; undefined if no metrics are collected. */
  readonly snapshots: (() => Promise<readonly Snapshot[]>) | undefined
}

async function startAlone(
  running: AsyncDisposableStack,
  options: Pick<GatewayOptions, "load" | "loaded" | "sandboxUrl">,
): Promise<Serving> {
  const gateway = running.use(await startGateway({ ...options, isShared: false, restart }))
  const { url, metrics } = gateway.app
  return {
    url,
    catalog: gateway.app.catalog,
    stopWaiting: () => gateway.app.skipDrain(),
    snapshots: metrics && (async () => [await metrics.snapshot()]),
  }
}

/** Returns the command that restarts this process on its current address. */
function restart(url: string): ProcessStart {
  const words = process.argv.slice(2).filter((word) => word !== NEW_LEDGER && word !== REPLACE)
  // If the port was chosen automatically, callers continue to use the chosen port.
  const environment = { ...ownEnvironment(), TOLLGATE_PORT: new URL(url).port }
  return { words: [...programWords(), ...words], environment }
}

function ownEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env)
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

async function startWorkers(
  running: AsyncDisposableStack,
  { settings, lists }: WholeSettings,
  place: { readonly port: number; readonly sandboxUrl: string | undefined },
): Promise<Serving> {
  const { server, publicUrl } = settings
  const words = [...programWords(), ...process.argv.slice(2)]
  const events = createEvents(createLogger({ level: logLevel(process.env) }))
  const options = {
    count: server.workers,
    words,
    ...place,
    timeoutMs: server.watchdog,
    events,
  }
  const workers = running.use(await Workers.start(options))
  const reload = (): void => workers.signal("SIGHUP")
  process.on("SIGHUP", reload)
  running.defer(() => void process.off("SIGHUP", reload))
  return {
    url: publicUrl ?? addressOf(server.host, place.port),
    catalog: runtimeConfigOf(effectiveSettings(settings, place.sandboxUrl), lists).config.catalog,
    stopWaiting: () => workers.stopWaiting(),
    snapshots: () => workers.metrics(),
  }
}

/**
 * Creates the ledger.
 * @throws CommandError `conflict` if a ledger exists.
 */
async function beginLedger(settings: Settings): Promise<void> {
  const { data } = settings
  const database = databaseOf(settings)
  const now = new Date()
  try {
    await database.setRemainsAside(now)
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    throw new CommandError("conflict", error.message, `Start without ${NEW_LEDGER}.`)
  }
  setAnchorAside(data, now)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  await database.create()
}

/**
 * Returns the port to listen on. If the setting is 0, this is any free port.
 * @throws if another program has the port.
 */
function findPort({ host, port }: Settings["server"]): number {
  // Workers share the port with any process that allows sharing, so only this check detects another program.
  const listener = listenOn(host, port)
  const found = listener.port
  listener.stop(true)
  return found
}

async function serveAsWorker(load: LoadOptions): Promise<void> {
  const loaded = loadSettings(load)
  const sandboxUrl = process.env[SANDBOX_VARIABLE]
  // Some process managers send signals to all processes of a group. Only the parent decides whether to stop waiting for
  // requests.
  const asked = new EndRequests()
  await using running = new AsyncDisposableStack()
  const parent = running.use(new ParentLine())
  // The final metrics are reported after the last request has ended.
  running.defer(() => parent.reportMetrics())
  const gatherMetrics = (): Promise<string> => parent.allMetrics()
  const { app } = running.use(
    await startGateway({ load, loaded, sandboxUrl, isShared: true, gatherMetrics }),
  )
  const { metrics } = app
  parent.onStopWaiting = () => app.skipDrain()
  if (metrics) parent.onMetricsWanted = () => metrics.snapshot()
  parent.reportListening()
  await asked.first
}

function listenOn(hostname: string, port: number): Bun.TCPSocketListener {
  try {
    return Bun.listen({ hostname, port, socket: { data() {} } })
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
    throw new CommandError(
      "failed",
      `cannot listen on ${hostname} port ${port}${code}`,
      "Stop the program that uses the port, or choose another with TOLLGATE_PORT.",
    )
  }
}

/**
 * Creates the export of metrics to a collector; undefined without a collector, in which case the module is not loaded.
 */
async function openMetricPush(settings: Settings): Promise<MetricPush | undefined> {
  const { telemetry } = settings
  if (telemetry === undefined || telemetry.metricsEvery === 0) return undefined
  const redactor = new Redactor()
  redactor.addSecrets(secretsOf(settings))
  const logger = createLogger({ level: logLevel(process.env) })
  const events = createEvents(logger, (text) => redactor.clean(text))
  const { MetricPush: Loaded } = await import("../otlp/metric-push.ts")
  return new Loaded({ settings: telemetry, failed: events.telemetryFailed })
}
