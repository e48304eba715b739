import { join } from "node:path"
import { drain } from "./app/drain.ts"
import { addressOf } from "./app/address.ts"
import { joinNode } from "./app/join-node.ts"
import { openAnswering } from "./app/open-answering.ts"
import { openDatabase } from "./app/open-database.ts"
import { metricsTextOf, openObservation } from "./app/open-observation.ts"
import { openPrices } from "./app/open-prices.ts"
import type { AppOptions } from "./app/options.ts"
import {
  activeOf,
  exchangeHealth,
  ratesOf,
  openRequestData,
  openConversations,
  openIdempotency,
  openRelays,
  openSettings,
  imageStore,
} from "./app/services.ts"
import { initialState, prepareSettings, type State } from "./app/state.ts"
import { Maintenance } from "./app/maintenance.ts"
import { Redactor } from "./canon/redactor.ts"
import type { Catalog } from "./catalog/catalog.ts"
import type { Settings } from "./config/settings.ts"
import { type Answering, serve } from "./http/server.ts"
import { Spool } from "./http/uploads/spool.ts"
import { Keyring } from "./keys/keyring.ts"
import { KeyHasher } from "./keys/secret.ts"
import type { BaseUrl } from "./management/base-url.ts"
import { BackgroundThreads } from "./machine/background-threads.ts"
import type { LiveSettings } from "./management/live-settings.ts"
import type { Metrics } from "./metrics/metrics.ts"
import { Billing } from "./relay/billing/billing.ts"
import { DeadlineWatch } from "./relay/lifetime/deadline-watch.ts"
import { Pipeline } from "./relay/pipeline/pipeline.ts"
import { ReasoningSigner } from "./relay/chat/reasoning-envelope.ts"
import { MediaInspector } from "./media/media-inspector.ts"
import { TokenCounter } from "./relay/tokens/token-counter.ts"
import { VendorState } from "./relay/state/vendor-state.ts"
import { Health } from "./routing/health.ts"
import { Loads } from "./routing/loads.ts"
import { Router } from "./routing/route.ts"
import { HttpClient } from "./wire/http/client.ts"
import { WorkerPool } from "./workers/worker-pool.ts"

const KEEP_ALIVE_MS = 15_000

/** The running gateway: all services and the routes that use them. */
export class App implements AsyncDisposable {
  readonly url: string
  /** The address that the gateway listens on. It may differ from the public address. */
  readonly listensAt: string
  /** Metrics of this process; undefined if metrics are disabled. */
  readonly metrics: Metrics | undefined
  readonly #services: AsyncDisposableStack
  readonly #live: LiveSettings
  readonly #state: State

  private constructor({ url, services, live, state, metrics }: AppParts) {
    this.url = url
    this.listensAt = state.url
    this.metrics = metrics
    this.#services = services
    this.#live = live
    this.#state = state
  }

  /** Opens the ledger, joins the other processes, and listens. */
  static async start(options: AppOptions): Promise<App> {
    const { settings, events, redactor = new Redactor() } = options
    await using building = new AsyncDisposableStack()
    building.use(new BackgroundThreads())
    const base = await openDatabase(options, building)
    const { machine, database, store, ledger, nodeId, secret } = base
    const live = await openSettings(options, base, (next) => prepareSettings(state, next, events))
    const state = initialState(live.active, events, redactor)
    const { payloadLog: payloads, ...data } = openRequestData({ database, state, events }, building)
    const hasher = new KeyHasher(secret)
    const keyring = new Keyring(store, hasher, machine.keyChanges)
    await keyring.refresh()
    const limiter = ratesOf(base, events)
    const health = new Health(machine.clock.now, machine.memory)
    const router = new Router(health, new Loads())
    const healthExchange = exchangeHealth(health, base, events)
    await joinNode({ ...base, keyring, limiter, healthExchange, events, live }, building)
    const observed = await openObservation({ ...base, state, health, options }, building)
    const renewing = { store, live, state, events: observed.events, options }
    const priceUpdates = openPrices(renewing, building)
    building.use(new Maintenance({ database, store, state, alarms: events }))
    building.defer(() => ledger.close())
    const watch = building.use(new DeadlineWatch(options.monitor))
    const pool = options.pool ?? building.use(new WorkerPool())
    const counter = new TokenCounter(pool)
    const inspector = new MediaInspector(pool)
    const { events: alarms, observers, metrics, tracer } = observed
    const billing = new Billing({ ledger, counter, alarms, observers })
    const conversations = openConversations(
      { kept: database.conversations, state, events, hasher, secret },
      building,
    )
    const client = building.use(new HttpClient(process.env))
    const services = {
      config: () => state.config,
      pipeline: new Pipeline({ client, watch, health, router, billing, payloads, alarms }),
      client,
      billing,
      limiter,
      health,
      watch,
      alarms,
      signer: new ReasoningSigner(secret),
      counter,
      pool,
      inspector,
      vendorState: building.use(new VendorState(store, hasher, events.vendorStateNotDeleted)),
      conversations,
      keepAlive: options.keepAlive ?? KEEP_ALIVE_MS,
    }
    const spool = new Spool(join(settings.data, "uploads"))
    const kept = { store, node: nodeId, secret, spool, files: database.files("responses") }
    const idempotency = building.use(openIdempotency(options, state, kept))
    ledger.isClaimed = (request) => idempotency.isRunning(request)
    const relays = openRelays(services, imageStore(base, state, events), building)
    const metricsText = metrics && metricsTextOf(metrics, options)
    const shared = { store, keyring, ledger, limiter, idempotency, spool, metricsText, tracer }
    const parts = { ...relays, ...shared, events: alarms }
    const baseUrl: BaseUrl = (reached) => state.settings.publicUrl ?? reached ?? state.url
    const known = { ...base, ...data, ...observed, hasher, keyring, idempotency, baseUrl, live }
    const active = { ...activeOf(state), health, file: options.file }
    const admin = { ...known, ...active, priceUpdates }
    const answering = openAnswering({ callers: parts, admin, state, options }, building)
    const server = listen(options, answering, state)
    state.url = addressOf(server.hostname ?? settings.server.host, server.port ?? 0)
    const { lastResponses } = answering
    const ending = { lastResponses, state, billing, ledger, database, watch, idempotency }
    building.defer(() => drain({ server, ...ending }))
    return new App({ url: baseUrl(), services: building.move(), live, state, metrics })
  }

  /** The currently served models. */
  get catalog(): Catalog {
    return this.#state.config.catalog
  }

  /**
   * Applies the settings of the file and the environment. Running requests keep their original settings.
   * @param written names of the settings that the file sets. `written` and `warnings` are as in the start options.
   */
  async apply(
    settings: Settings,
    written: readonly string[] = [],
    warnings: readonly string[] = [],
  ): Promise<void> {
    await this.#live.rebase({ settings, written, warnings })
  }

  /** Stops waiting for running requests, now or at shutdown. */
  skipDrain(): void {
    this.#state.skipsDrain = true
  }

  /** Stops listening, waits for running requests, writes the ledger and returns all leases. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#services.disposeAsync()
  }
}

/**
 * Starts listening.
 * @throws Error if the address is unavailable.
 */
function listen(
  { settings, isShared, sharesPort = false }: AppOptions,
  answering: Answering,
  state: State,
): Bun.Server<undefined> {
  return serve({ ...settings.server, isShared: isShared || sharesPort }, answering, state)
}

interface AppParts {
  readonly url: string
  readonly services: AsyncDisposableStack
  readonly live: LiveSettings
  readonly state: State
  readonly metrics: Metrics | undefined
}
