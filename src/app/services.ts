import { SecretCipher } from "../config/secret-cipher.ts"
import type { AdminParts } from "../http/admin/parts.ts"
import { Idempotency, type IdempotencyParts } from "../http/idempotency/idempotency.ts"
import { PrivateBuckets } from "../limits/private-buckets.ts"
import { RateLimiter } from "../limits/rate-limiter.ts"
import { Rates } from "../limits/rates.ts"
import { RunningRequests } from "../limits/running-requests.ts"
import { SharedBuckets } from "../limits/shared-buckets.ts"
import { LiveSettings, type LiveSettingsParts } from "../management/live-settings.ts"
import { ImageStore } from "../media/image-store.ts"
import { PayloadLog } from "../relay/pipeline/payload-log.ts"
import { Conversations } from "../relay/state/conversations.ts"
import type { ConversationParts } from "../relay/state/conversation-texts.ts"
import type { OperationServices } from "../relay/operations/open-operation.ts"
import { Operations } from "../relay/operations/operations.ts"
import { performersOf } from "../relay/operations/performers.ts"
import { ChatRelay, type ChatServices } from "../relay/chat/chat-relay.ts"
import { TokenDecoder } from "../relay/tokens/token-decoder.ts"
import { ConversationStore } from "../store/conversation-store.ts"
import type { ConversationParts as KeptParts } from "../store/conversations.ts"
import type { Health } from "../routing/health.ts"
import { HealthExchange } from "../routing/health-exchange.ts"
import type { ServingDatabase } from "../store/serving-database.ts"
import type { Events } from "../telemetry/events.ts"
import { vendors } from "../vendors/index.ts"
import type { WorkerPool } from "../workers/worker-pool.ts"
import type { OpenDatabase } from "./open-database.ts"
import type { AppOptions } from "./options.ts"
import type { State } from "./state.ts"

/** Opens the active settings, including settings from the console. */
export function openSettings(
  { settings, written = [], warnings = [], sandboxUrl, events }: AppOptions,
  { store, secrets }: Pick<OpenDatabase, "store" | "secrets">,
  prepare: LiveSettingsParts["prepare"],
): Promise<LiveSettings> {
  return LiveSettings.open({
    store,
    cipher: new SecretCipher(secrets),
    vendors: [...vendors.values()],
    base: { settings, written, warnings },
    sandboxUrl,
    prepare,
    onConsoleChange: events.settingsApplied,
    warn: events.warning,
  })
}

/** Creates the rate limits of keys. Without shared memory, each process counts as a separate machine. */
export function ratesOf(
  { machine, store, nodeId }: Pick<OpenDatabase, "machine" | "store" | "nodeId">,
  events: Events,
): Rates {
  const { memory } = machine
  const clock = machine.clock.now
  const buckets = memory.isShared ? new SharedBuckets(memory) : new PrivateBuckets()
  const local = new RateLimiter(clock, buckets)
  const running = new RunningRequests(memory, machine.presence)
  const { rateLimits: limits } = store
  return new Rates({ limits, local, running, clock, node: nodeId, onFailure: events.nodeFailed })
}

/** Exchanges the health of deployments with nodes on other machines. */
export function exchangeHealth(
  health: Health,
  { store, nodeId }: Pick<OpenDatabase, "store" | "nodeId">,
  events: Events,
): HealthExchange {
  const { deploymentReports: reports } = store
  return new HealthExchange({ health, reports, node: nodeId, onFailure: events.nodeFailed })
}

/** Opens the stores of request data other than money. */
export function openRequestData(
  parts: { readonly database: ServingDatabase; readonly state: State; readonly events: Events },
  building: AsyncDisposableStack,
) {
  const { database, state, events } = parts
  const { reports, payloads, failures, statementLines, openReader, openConsoleStore } = database
  const lifetime = (): number => state.settings.retention.contents
  const payloadLog = building.use(new PayloadLog(payloads, lifetime, events.contentsFailed))
  return { reports, payloads, failures, statementLines, payloadLog, openReader, openConsoleStore }
}

/** Opens the store of conversations. */
export function openConversations(
  parts: Pick<ConversationParts, "hasher" | "secret"> & {
    readonly kept: KeptParts
    readonly state: State
    readonly events: Events
  },
  building: AsyncDisposableStack,
): Conversations {
  const { kept, state, events, hasher, secret } = parts
  const keeper = building.use(new ConversationStore(kept))
  const settings = () => state.settings.responses
  const failed = events.conversationNotStored
  return building.use(new Conversations({ keeper, hasher, secret, settings, failed }))
}

/** Opens the services that run requests. */
export function openRelays(
  services: ChatServices & OperationServices & { readonly pool: WorkerPool },
  imageStore: ImageStore,
  building: AsyncDisposableStack,
) {
  const { counter, inspector, pool, alarms, conversations, vendorState } = services
  building.use(imageStore)
  const operations = new Operations(services)
  const decoder = new TokenDecoder(pool)
  const parts = { operations, counter, decoder, alarms, imageStore, inspector }
  return {
    relay: new ChatRelay(services),
    conversations,
    vendorState,
    clients: () => services.config().clients,
    operations,
    performers: performersOf(parts),
    inspector,
    imageStore,
  }
}

/** Opens the service that responds to repeated requests. */
export function openIdempotency(
  { settings, events, now }: AppOptions,
  state: State,
  parts: Pick<IdempotencyParts, "store" | "node" | "secret" | "spool" | "files">,
): Idempotency {
  return new Idempotency({
    ...parts,
    data: settings.data,
    limits: () => state.settings.idempotency,
    notKept: events.responseNotStored,
    ...(now && { now }),
  })
}

/** Opens the store of generated images that have no link from the vendor. */
export function imageStore(
  { database, secret }: { readonly database: ServingDatabase; readonly secret: string },
  state: State,
  events: Events,
): ImageStore {
  return new ImageStore({
    files: database.files("images"),
    secret,
    settings: () => state.settings.images,
    onFailure: events.imagesNotDeleted,
  })
}

/** Returns the parts of the running gateway that the management API reads. */
export function activeOf(
  state: State,
): Pick<AdminParts, "settings" | "catalog" | "learnedRules" | "memory" | "warnings"> {
  return {
    settings: () => state.settings,
    warnings: () => state.warnings,
    catalog: () => state.config.catalog,
    learnedRules: state.config.learnedRules,
    memory: state.memory,
  }
}
