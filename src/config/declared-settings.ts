import type { Setting, Section, Values } from "./declare.ts"
import { ACCOUNTS } from "./sections/accounts.ts"
import { DATABASE } from "./sections/database.ts"
import { IMAGES } from "./sections/images.ts"
import { LIMITS } from "./sections/limits.ts"
import { LOG } from "./sections/log.ts"
import { METRICS } from "./sections/metrics.ts"
import { MODEL_NAMES } from "./sections/model-names.ts"
import { NOTICES } from "./sections/notices.ts"
import { PAYMENTS } from "./sections/payments.ts"
import { PRICE_LIST } from "./sections/price-list.ts"
import { PRICING } from "./sections/pricing.ts"
import { TIMEOUTS, DISCONNECT, ROUTING } from "./sections/routing.ts"
import { ACCESS, SERVER } from "./sections/server.ts"
import { SIGN_IN } from "./sections/sign-in.ts"
import { BACKUP, CONVERSATIONS, IDEMPOTENCY, RETENTION } from "./sections/storage.ts"
import { TELEMETRY } from "./sections/telemetry.ts"
import { snakeCase } from "./shapes.ts"

/** All settings in the structure of `Settings`, except the tables of providers, models and price groups. */
export const DECLARATIONS = {
  ...PRICING,
  ...MODEL_NAMES,
  server: SERVER,
  ...ACCESS,
  database: DATABASE,
  console: SIGN_IN,
  timeouts: TIMEOUTS,
  routing: ROUTING,
  ...DISCONNECT,
  images: IMAGES,
  limits: LIMITS,
  responses: CONVERSATIONS,
  idempotency: IDEMPOTENCY,
  retention: RETENTION,
  backup: BACKUP,
  notices: NOTICES,
  log: LOG,
  metrics: METRICS,
  telemetry: TELEMETRY,
  prices: PRICE_LIST,
  ...ACCOUNTS,
  stripe: PAYMENTS,
}

export type DeclaredSettings = Values<typeof DECLARATIONS>

/** A declared setting with its name and path. */
export interface DeclaredSetting extends Setting<unknown> {
  /** The name in the file, such as `timeouts.connect`. */
  readonly name: string
  /** The path in `Settings`, such as `timeouts`, `connect`. */
  readonly at: readonly string[]
}

/** The sections by their members of `Settings`. */
export const DECLARED_SECTIONS: readonly (readonly [string, Section<unknown>])[] = Object.entries(
  DECLARATIONS,
).flatMap(([member, declaration]) => (isSection(declaration) ? [[member, declaration]] : []))

export const DECLARED_SETTINGS: readonly DeclaredSetting[] = Object.entries(DECLARATIONS).flatMap(
  ([member, declaration]) =>
    isSection(declaration)
      ? Object.entries(declaration.settings).map(([inner, setting]) => ({
          ...setting,
          name: `${declaration.section}.${nameOf(setting, inner)}`,
          at: [member, ...(setting.at ?? [inner])],
        }))
      : [{ ...declaration, name: nameOf(declaration, member), at: [member] }],
)

/** Returns the name of a setting in the file, below its section. */
export function nameOf(setting: Setting<unknown>, member: string): string {
  return setting.name ?? snakeCase(member)
}

export function isSection(
  declaration: Setting<unknown> | Section<unknown>,
): declaration is Section<unknown> {
  return "section" in declaration
}
