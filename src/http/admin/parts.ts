import type { Catalog } from "../../catalog/catalog.ts"
import type { LearnedRules } from "../../catalog/learned-rules.ts"
import type { SecretCipher } from "../../config/secret-cipher.ts"
import type { Settings } from "../../config/settings.ts"
import type { Keyring } from "../../keys/keyring.ts"
import type { KeyHasher } from "../../keys/secret.ts"
import type { MemoryBudget } from "../../limits/memory-budget.ts"
import type { Audit } from "../../management/audit.ts"
import type { BaseUrl } from "../../management/base-url.ts"
import type { LiveSettings } from "../../management/live-settings.ts"
import type { PriceUpdates } from "../../management/prices/price-updates.ts"
import type { Sessions } from "../../management/sessions.ts"
import type { SignInService } from "../../management/sign-in-service.ts"
import type { SystemParts } from "../../management/system.ts"
import type { Notices } from "../../notices/notices.ts"
import type { Health } from "../../routing/health.ts"
import type { InstallationSecrets } from "../../secrets/installation-secrets.ts"
import type { ConsoleStore } from "../../store/console-store.ts"
import type { FailureLog } from "../../store/failure-log.ts"
import type { StatementReads } from "../../store/entries.ts"
import type { PayloadLog } from "../../store/payload-log.ts"
import type { Reports } from "../../store/reports.ts"
import type { Store, StoreReader } from "../../store/store.ts"
import type { Events } from "../../telemetry/events.ts"
import type { AttemptLimits } from "../../users/attempt-limits.ts"
import type { Users } from "../../users/users.ts"
import type { AdminContext } from "./endpoint.ts"
import type { Idempotency } from "../idempotency/idempotency.ts"

/** The parts of the running gateway that the management API needs. */
export interface AdminParts extends SystemParts {
  readonly store: Store
  /** Opens a database for scanning all rows. */
  readonly openReader: () => Promise<StoreReader>
  /** Reports about past requests, which are read on a separate thread. */
  readonly reports: Reports
  /** The stored prompts and responses of accounts that have enabled storing them. */
  readonly payloads: PayloadLog
  readonly failures: FailureLog
  /** The entries of statements. */
  readonly statementLines: StatementReads
  /** The users of the console and their credentials. */
  readonly openConsoleStore: () => Promise<ConsoleStore>
  readonly secrets: InstallationSecrets
  readonly hasher: KeyHasher
  readonly keyring: Keyring
  readonly idempotency: Idempotency
  readonly memory: MemoryBudget
  readonly events: Events
  readonly notices: Notices
  /** Encrypts the destinations of notices. */
  readonly noticeCipher: SecretCipher
  readonly settings: () => Settings
  /** The active settings with their sources. */
  readonly live: LiveSettings
  readonly priceUpdates: PriceUpdates
  /** Returns the active models. */
  readonly catalog: () => Catalog
  readonly learnedRules: LearnedRules
  readonly health: Health
  /** Path of the settings file, if one exists. */
  readonly file: string | undefined
  /** The public address without `/v1`. */
  readonly baseUrl: BaseUrl
}

/** The parts of the opened management API, from which each resource builds its services. */
export interface OpenParts extends AdminParts {
  readonly audit: Audit
  readonly users: Users
  /** Limits attempts to guess codes, and the number of sent emails. */
  readonly limits: AttemptLimits
}

/** The parts of the management API that sign-in needs. */
export interface AccessParts extends Pick<OpenParts, "store" | "audit" | "users" | "baseUrl"> {
  readonly sessions: Sessions
  readonly signIn: SignInService
  /** Returns the public address, if it differs from the listening address. */
  readonly publicUrl: () => string | undefined
  /** Builds a JSON response with cookies. */
  readonly response: (
    context: Pick<AdminContext<never>, "origin" | "request" | "requestId">,
    body: unknown,
    cookies: readonly string[],
  ) => Response
}

/** The response to a request that succeeded and has no other result. */
export const OK = { ok: true } as const
