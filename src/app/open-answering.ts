import type { AdminParts } from "../http/admin/parts.ts"
import { CrossOrigin } from "../http/cross-origin.ts"
import { fallback } from "../http/fallback.ts"
import { LastResponses } from "../http/last-responses.ts"
import { Lazy } from "../http/lazy.ts"
import { managementMounts } from "../http/mounts.ts"
import { callerRoutes, type RouteParts } from "../http/v1/routes.ts"
import { basePathOf } from "../management/base-url.ts"
import type { AppOptions } from "./options.ts"
import { activeOf } from "./services.ts"
import type { State } from "./state.ts"

/** Dependencies of the caller endpoints, except those that `State` provides. */
type CallerParts = Omit<
  RouteParts,
  "settings" | "catalog" | "isDraining" | "ownUrl" | "memory" | "pace"
>

export interface AnsweringParts {
  readonly callers: CallerParts
  readonly admin: AdminParts
  readonly state: State
  readonly options: Pick<AppOptions, "pace">
}

/** Opens the endpoints of callers, and the management endpoints, which are loaded on first use. */
export function openAnswering(
  { callers, admin: adminParts, state, options }: AnsweringParts,
  building: AsyncDisposableStack,
) {
  const { events, keyring } = callers
  const lastResponses = new LastResponses()
  const routes = callerRoutes({
    ...callers,
    ...activeOf(state),
    ...(options.pace && { pace: options.pace }),
    isDraining: () => lastResponses.isOn,
    ownUrl: () => state.url,
  })
  const crossOrigin = new CrossOrigin({ ofSettings: () => state.settings.corsOrigins, keyring })
  const admin = building.use(
    new Lazy(async () => (await import("../http/admin/open.ts")).openAdmin(adminParts)),
  )
  const basePath = (): string => basePathOf(state.settings.publicUrl)
  const { baseUrl } = adminParts
  const mounts = managementMounts({ admin, events, baseUrl, basePath })
  return {
    routes: crossOrigin.routes(routes),
    mounts,
    fallback: crossOrigin.withPreflight(fallback(routes, { mounts, basePath })),
    lastResponses,
  }
}
