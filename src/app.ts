import { mkdirSync } from "node:fs"
import { join } from "node:path"
import facts from "./catalog/facts.json" with { type: "json" }
import { buildCatalog } from "./catalog/catalog.ts"
import { ProviderSeal } from "./config/sealing.ts"
import { Redactor } from "./canon/redactor.ts"
import { secretsOf } from "./config/secret-values.ts"
import { loadSecrets } from "./config/secrets.ts"
import type { Settings } from "./config/settings.ts"
import type { AdminParts } from "./http/admin/open.ts"
import { Idempotency, type IdempotencyParts } from "./http/idempotency/idempotency.ts"
import { Lazy } from "./http/lazy.ts"
import type { Pace } from "./http/incoming-body.ts"
import { managementMounts } from "./http/mounts.ts"
import { serve } from "./http/server.ts"
import { Spool } from "./http/spool.ts"
import { callerRoutes } from "./http/v1/routes.ts"
import { Keyring } from "./keys/keyring.ts"
import { KeyHasher, randomText } from "./keys/secret.ts"
import { AnchorKeeper } from "./ledger/anchor-keeper.ts"
import { Ledger } from "./ledger/ledger.ts"
import { Node, type NodeListeners } from "./ledger/node.ts"
import { usualMemory } from "./limits/machine-memory.ts"
import { MemoryBudget } from "./limits/memory-budget.ts"
import { RateLimiter } from "./limits/rate-limiter.ts"
import { SharedBuckets } from "./limits/shared-buckets.ts"
import { Machine } from "./machine/machine.ts"
import { LiveSettings } from "./management/live-settings.ts"
import { PictureStore } from "./media/picture-store.ts"
import { Billing } from "./relay/billing.ts"
import { Contents } from "./relay/contents.ts"
import { DeadlineWatch } from "./relay/deadline-watch.ts"
import { Endpoint } from "./relay/endpoint.ts"
import { HttpClient } from "./wire/http/client.ts"
import { type RelayServices, SHUTTING_DOWN, type Surroundings } from "./relay/exchange.ts"
import { Images } from "./relay/images.ts"
import { Operations } from "./relay/operations.ts"
import { Seal } from "./relay/reasoning-envelope.ts"
import type { Pulse } from "./relay/pulse.ts"
import { Relay } from "./relay/relay.ts"
import { TokenCounter } from "./relay/token-counter.ts"
import { TokenDecoder } from "./relay/token-decoder.ts"
import { VendorState } from "./relay/vendor-state.ts"
import { Health } from "./routing/health.ts"
import { bookPathIn, requireBook } from "./store/book-place.ts"
import { BookWatch } from "./store/book-watch.ts"
import { ContentShelf } from "./store/content-shelf.ts"
import { ReportsOnDemand } from "./store/reports-on-demand.ts"
import type { Store } from "./store/store.ts"
import { NodeLocks } from "./store/node-locks.ts"
import { openServingStore, type ServingStore } from "./store/open-store.ts"
import type { Events } from "./telemetry/events.ts"
import { vendors } from "./vendors/index.ts"

/** A silent stream gets a comment this often, milliseconds. */
const KEEP_ALIVE = 15_000
/**
 * How long those that are cut then may take to be counted, settled and told to their callers, milliseconds. The first
 * count of tokens takes a second or two on a busy machine.
 */
const LAST_WORDS_TIME = 10_000
/** How long those whose callers read no more may take to be settled then. */
const SETTLE_TIME = 5_000
/** How often it looks whether they have. */
const DRAIN_LOOK = 20

export interface AppOptions {
  /** What the file and the environment say. What the console has set comes under it. */
  readonly settings: Settings
  readonly events: Events
  /** Whether other processes listen on the same port. */
  readonly isShared: boolean
  /** Names of the settings that the file says, of those that the console can change. */
  readonly written?: readonly string[]
  /** Where the simulator is, when it plays the vendor. */
  readonly sandboxUrl?: string | undefined
  /** The settings file, for the console to name. */
  readonly file?: string | undefined
  /** Milliseconds; for tests, which cannot wait so long. */
  readonly keepAlive?: number
  readonly pace?: Pace
  /** Learns the secrets of the settings; whoever writes the log shares it. */
  readonly redactor?: Redactor
  /** Beats while the event loop turns, for who watches it. */
  readonly pulse?: Pulse
  /** Unix milliseconds, by which idempotency keys expire. */
  readonly now?: () => number
}

/**
 * Where the database of a data directory is.
 * @throws BookError `missing` when there was one, and it is gone.
 */
export function databasePath(dataDirectory: string): string {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const path = bookPathIn(dataDirectory)
  requireBook(path, dataDirectory)
  return path
}

/** The address of a host and port; an IPv6 host stands in brackets. */
export function addressOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** What the settings make of the gateway's surroundings. */
export function surroundingsOf(
  settings: Settings,
  redactor = new Redactor(),
): {
  surroundings: Surroundings
  warnings: readonly string[]
} {
  const { catalog, warnings } = buildCatalog({ settings, facts, vendors })
  const endpoints = new Map(
    Object.entries(settings.providers).flatMap(([id, provider]) => {
      const vendor = vendors.get(provider.vendor)
      return vendor ? [[id, new Endpoint(id, provider, vendor, redactor)] as const] : []
    }),
  )
  const { deadlines, limits, disconnect, disconnectLimit } = settings
  const media = { bytes: limits.mediaBytes, allowsPrivate: limits.mediaPrivate }
  const surroundings: Surroundings = {
    catalog,
    endpoints,
    deadlines,
    answerBytes: limits.answerBytes,
    disconnect,
    disconnectLimit,
    media,
    passesUnpriced: settings.unpricedFeatures === "pass",
    passesUnknownState: settings.vendorState === "pass",
    ...(settings.imageModel !== undefined && { imageModel: settings.imageModel }),
    ...(settings.translationModel !== undefined && {
      translationModel: settings.translationModel,
    }),
  }
  return { surroundings, warnings }
}

/** The running gateway: every service, built once, and the routes that use them. */
export class App implements AsyncDisposable {
  readonly url: string
  /** Where it listens, whatever callers call it. */
  readonly listensAt: string
  readonly #services: AsyncDisposableStack
  readonly #live: LiveSettings
  readonly #state: State

  private constructor({ url, services, live, state }: AppParts) {
    this.url = url
    this.listensAt = state.url
    this.#services = services
    this.#live = live
    this.#state = state
  }

  /** Opens the book, joins the other processes, and listens. */
  static async start(options: AppOptions): Promise<App> {
    const { settings, events, redactor = new Redactor() } = options
    await using building = new AsyncDisposableStack()
    const bookPath = databasePath(settings.data)
    const machine = building.use(new Machine(settings.data))
    const hasCompany = options.isShared || machine.presence.count > 1
    const opened = building.use(await openServingStore(bookPath, hasCompany))
    // After the book: secrets without a book mean that it is gone.
    const { keyPepper } = loadSecrets(settings.data)
    const bookWatch = new BookWatch(bookPath, (fault) => {
      ledger.refuse(fault)
      if (fault) events.bookLost(fault.message)
      else events.bookFound()
    })
    const store = bookWatch.over(opened)
    const nodeId = `node_${randomText(16)}`
    const ledger = openLedger(store, nodeId, events)
    const anchors = { store, bookPath, secret: keyPepper, alarms: events }
    const keeper = building.use(await AnchorKeeper.open(anchors))
    const beside = openBeside(bookPath, events, building)
    const live = await openSettings(options, store, (next) => takeOver(state, next, events))
    const state = initialState(live.effective, events, redactor)
    const hasher = new KeyHasher(keyPepper)
    const keyring = new Keyring(store, hasher, machine.keyChanges)
    await keyring.refresh()
    const limiter = limiterOf(machine)
    const locks = new NodeLocks(join(settings.data, "run"))
    building.use(
      await joinNode({
        store,
        serving: opened,
        bookWatch,
        keeper,
        nodeId,
        locks,
        ledger,
        keyring,
        limiter,
        machine,
        events,
        live,
      }),
    )
    building.defer(() => ledger.close())
    const watch = building.use(new DeadlineWatch(options.pulse))
    const counter = building.use(new TokenCounter())
    const billing = new Billing(ledger, counter, events)
    const services: RelayServices = {
      surroundings: () => state.surroundings,
      client: building.use(new HttpClient(process.env)),
      billing,
      limiter,
      health: new Health(machine.clock.now, machine.memory),
      watch,
      alarms: events,
      seal: new Seal(keyPepper),
      counter,
      contents: beside.contents,
      vendorState: building.use(new VendorState(store, hasher, events.vendorStateLeft)),
      keepAlive: options.keepAlive ?? KEEP_ALIVE,
    }
    const spool = new Spool(join(settings.data, "uploads"))
    const kept = { store, node: nodeId, secret: keyPepper, spool }
    const idempotency = building.use(openIdempotency(options, state, kept))
    const performers = openPerformers(services, pictureStore(state, keyPepper, events), building)
    const parts = { ...performers, store, keyring, ledger, limiter, idempotency, events, spool }
    const { contents } = beside
    const intake = { memory: state.memory, ...(options.pace && { pace: options.pace }) }
    const isDraining = (): boolean => state.isDraining
    const routes = callerRoutes({ ...parts, ...intake, ...inForce(state), contents, isDraining })
    const baseUrl = (): string => state.settings.publicUrl ?? state.url
    const admin = building.use(
      new Lazy(async () => {
        const { openAdmin } = await import("./http/admin/open.ts")
        const known = { store, hasher, keyring, idempotency, events, baseUrl, live, ...beside }
        const { health } = services
        return openAdmin({ ...known, ...inForce(state), health, file: options.file })
      }),
    )
    const mounts = managementMounts({ admin, events, baseUrl })
    const server = serve({ ...settings.server, isShared: options.isShared }, routes, mounts)
    building.defer(() => drain({ server, state, billing, watch, idempotency }))
    const { hostname = settings.server.host, port = settings.server.port } = server
    state.url = addressOf(hostname, port)
    const url = state.settings.publicUrl ?? state.url
    return new App({ url, services: building.move(), live, state })
  }

  /**
   * Takes over what the file and the environment say now; requests that run keep what they began with.
   * @param written as in the options of the start.
   */
  apply(settings: Settings, written: readonly string[] = []): void {
    this.#live.rebase({ settings, written })
  }

  /** Waits no longer for running requests, now or once it is asked to end. */
  hurry(): void {
    this.#state.isHurried = true
  }

  /** Stops listening, lets running requests finish, writes the book and returns all leases. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#services.disposeAsync()
  }
}

interface AppParts {
  readonly url: string
  readonly services: AsyncDisposableStack
  readonly live: LiveSettings
  readonly state: State
}

function openLedger(store: Store, nodeId: string, events: Events): Ledger {
  return new Ledger(store, nodeId, {
    writtenOff: (request, { amount, reason }) => events.writtenOff(request, amount, reason),
    settledLate: events.settledLate,
    expired: (hold) => events.holdExpired(hold.request, hold.account),
    failed: events.bookFailed,
  })
}

/** What is kept beside the book. Its thread begins with the first who needs it. */
function openBeside(bookPath: string, events: Events, building: AsyncDisposableStack) {
  const reports = building.use(new ReportsOnDemand(bookPath))
  const shelf = new ContentShelf(bookPath, reports)
  const contents = building.use(new Contents(shelf, events.contentsFailed))
  return { reports, shelf, contents }
}

/** What performs requests. */
function openPerformers(
  services: RelayServices,
  pictures: PictureStore,
  building: AsyncDisposableStack,
) {
  const { counter, alarms } = services
  building.use(pictures)
  const operations = new Operations(services)
  const decoder = building.use(new TokenDecoder())
  const embedding = { operations, counter, decoder, alarms }
  return {
    relay: new Relay(services),
    embedding,
    pictures,
    images: new Images(operations, pictures),
  }
}

function openIdempotency(
  { settings, events, now }: AppOptions,
  state: State,
  parts: Pick<IdempotencyParts, "store" | "node" | "secret" | "spool">,
): Idempotency {
  return new Idempotency({
    ...parts,
    data: settings.data,
    limits: () => state.settings.idempotency,
    notKept: events.answerNotKept,
    ...(now && { now }),
  })
}

function pictureStore(state: State, secret: string, events: Events): PictureStore {
  return new PictureStore({
    folder: join(state.settings.data, "pictures"),
    secret,
    settings: () => state.settings.images,
    onFailure: events.picturesLeft,
  })
}

/** What changes while the gateway runs. */
interface State {
  settings: Settings
  surroundings: Surroundings
  readonly memory: MemoryBudget
  readonly redactor: Redactor
  isDraining: boolean
  /** Whether running requests are not waited for any longer. */
  isHurried: boolean
  /** Where it listens, once it does. */
  url: string
}

function initialState(settings: Settings, events: Events, redactor: Redactor): State {
  redactor.learn(secretsOf(settings))
  const { surroundings, warnings } = surroundingsOf(settings, redactor)
  for (const warning of warnings) events.warning(warning)
  const memory = new MemoryBudget(memoryOf(settings))
  return { settings, surroundings, memory, redactor, isDraining: false, isHurried: false, url: "" }
}

/** The part of one process in what all of them may hold. Bytes. */
function memoryOf({ limits, server }: Settings): number {
  return Math.floor((limits.memoryBytes ?? usualMemory()) / server.workers)
}

/** What the management API looks at while the gateway runs. */
function inForce(state: State): Pick<AdminParts, "settings" | "catalog" | "bookPath"> {
  return {
    settings: () => state.settings,
    catalog: () => state.surroundings.catalog,
    bookPath: databasePath(state.settings.data),
  }
}

/** Puts settings into force. */
function takeOver(state: State, settings: Settings, events: Events): void {
  state.redactor.learn(secretsOf(settings))
  const { surroundings, warnings } = surroundingsOf(settings, state.redactor)
  for (const warning of warnings) events.warning(warning)
  state.memory.limit = memoryOf(settings)
  state.settings = settings
  state.surroundings = surroundings
}

function openSettings(
  { settings, written = [], sandboxUrl, events }: AppOptions,
  store: Store,
  apply: (settings: Settings) => void,
): Promise<LiveSettings> {
  return LiveSettings.open({
    store,
    seal: new ProviderSeal(settings.data),
    vendors: [...vendors.values()],
    base: { settings, written },
    sandboxUrl,
    apply,
    onConsoleChange: events.settingsTaken,
    warn: events.warning,
  })
}

/** Where no memory can be shared, each process takes its share of a limit. */
function limiterOf(machine: Machine): RateLimiter {
  if (!machine.memory.isShared) return new RateLimiter()
  return new RateLimiter(machine.clock.now, new SharedBuckets(machine))
}

interface NodeParts {
  readonly live: LiveSettings
  readonly store: Store
  /** The store itself, which is told of company. */
  readonly serving: ServingStore
  readonly nodeId: string
  readonly locks: NodeLocks
  readonly bookWatch: BookWatch
  readonly keeper: AnchorKeeper
  readonly ledger: Ledger
  readonly keyring: Keyring
  readonly limiter: RateLimiter
  readonly machine: Machine
  readonly events: Events
}

function joinNode(parts: NodeParts): Promise<Node> {
  const { serving, bookWatch, keeper, locks, ledger, keyring, limiter, machine, events, live } =
    parts
  const listeners: NodeListeners = {
    async onNews(news) {
      machine.presence.beat()
      bookWatch.look()
      keeper.keep(Date.now())
      limiter.setProcesses(news.nodes)
      if (news.nodes > 1) await serving.hasCompany()
      await Promise.all([
        ledger.tick(news.recalls),
        keyring.refresh(news.revision),
        live.refresh(news.settingsRevision),
      ])
    },
    onForgotten() {
      events.nodeForgotten()
      ledger.forgetLeases()
    },
    onExpired(holds) {
      for (const hold of holds) events.holdExpired(hold.request, hold.account)
    },
    onFailure(error) {
      bookWatch.look()
      events.nodeFailed(error)
    },
  }
  return Node.join(parts.store, parts.nodeId, listeners, { locks })
}

interface Drained {
  readonly server: Bun.Server<undefined>
  readonly state: State
  readonly billing: Billing
  readonly watch: DeadlineWatch
  readonly idempotency: Idempotency
}

async function drain(drained: Drained): Promise<void> {
  const { server, state, billing, watch, idempotency } = drained
  state.isDraining = true
  watch.pulse.end()
  // Idle connections of callers would keep it open for ever, so it is not waited for.
  void server.stop(false)
  const isServed = (): boolean => server.pendingRequests === 0 && idempotency.running === 0
  await waitUntil(() => isServed() || state.isHurried, state.settings.server.drain)
  watch.cut(SHUTTING_DOWN)
  await waitUntil(isServed, LAST_WORDS_TIME)
  await server.stop(true)
  idempotency.end()
  // Those that were cut have delivered something: it goes into the book before that closes.
  await waitUntil(() => billing.open === 0, SETTLE_TIME)
}

async function waitUntil(isOver: () => boolean, patience: number): Promise<void> {
  const deadline = performance.now() + patience
  while (!isOver() && performance.now() < deadline) await Bun.sleep(DRAIN_LOOK)
}
