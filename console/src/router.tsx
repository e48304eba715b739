import {
  createRootRoute,
  createRoute,
  createRouter,
  redirect,
  retainSearchParams,
} from "@tanstack/react-router"
import { ApiError } from "./api/api-error.ts"
import { CONSOLE_PATH } from "./base-path.ts"
import { onSignedOut } from "./api/client.ts"
import { accountsQuery, queryClient, sessionQuery } from "./api/queries.ts"
import { lazyPage } from "./layout/lazy-page.ts"
import { PageFailure, PageNotFound, PagePending } from "./layout/fallbacks.tsx"
import { Shell } from "./layout/shell.tsx"
import { OverviewPage } from "./pages/overview/overview-page.tsx"
import { endSession } from "./session.tsx"
import { parseSearch, pickTexts, stringifySearch } from "./search-text.ts"

/** Every address may contain the selected account, which is kept when the page changes. */
const rootRoute = createRootRoute({
  validateSearch: (search: Record<string, unknown>) => pickTexts(search, "account"),
  search: { middlewares: [retainSearchParams(["account"])] },
})

/**
 * Pages for signed-in users. Visitors who are not signed in are redirected to the sign-in page and return afterwards.
 */
const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      const session = await queryClient.ensureQueryData(sessionQuery)
      if (session.is_operator) await queryClient.ensureQueryData(accountsQuery)
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 401) throw thrown
      throw redirect({ to: "/sign-in", search: { back: location.href } })
    }
  },
})

// The first page is not loaded lazily, because lazy loading would only delay it.
const overviewRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(search, "account", "metric", "time"),
  component: OverviewPage,
})

const keysRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/keys",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(search, "account", "status", "playground", "mine", "search", "sort", "create"),
  component: lazyPage(() => import("./pages/keys/keys-page.tsx"), "KeysPage"),
})

const connectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/connect",
  component: lazyPage(() => import("./pages/connect/connect-page.tsx"), "ConnectPage"),
})

const creditsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/credits",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(search, "account", "kind", "from", "to", "paid", "add"),
  component: lazyPage(() => import("./pages/credits/credits-page.tsx"), "CreditsPage"),
})

const requestsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/requests",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(
      search,
      "account",
      "time",
      "from",
      "to",
      "key",
      "model",
      "status",
      "search",
      "provider",
      "endpoint",
      "price_group",
      "user",
      "session",
      "tag",
      "min_cost",
      "max_cost",
      "min_time",
      "max_time",
      "sort",
    ),
  component: lazyPage(() => import("./pages/requests/requests-page.tsx"), "RequestsPage"),
})

const usageRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/usage",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(
      search,
      "account",
      "time",
      "from",
      "to",
      "metric",
      "group",
      "view",
      "key",
      "model",
      "provider",
      "endpoint",
      "outcome",
      "price_group",
      "user",
      "session",
      "tag",
      "why",
    ),
  component: lazyPage(() => import("./pages/usage/usage-page.tsx"), "UsagePage"),
})

const receiptRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/requests/$request",
  component: lazyPage(() => import("./pages/requests/receipt-page.tsx"), "ReceiptPage"),
})

const sessionRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/session",
  validateSearch: (search: Record<string, unknown>) => pickTexts(search, "account", "session"),
  component: lazyPage(() => import("./pages/requests/session-page.tsx"), "SessionPage"),
})

const profileRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/profile",
  component: lazyPage(() => import("./pages/profile/profile-page.tsx"), "ProfilePage"),
})

const playgroundRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/playground",
  validateSearch: (search: Record<string, unknown>) => pickTexts(search, "account", "tab", "model"),
  component: lazyPage(() => import("./pages/playground/playground-page.tsx"), "PlaygroundPage"),
})

const modelsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(search, "account", "search", "kind", "provider", "priced", "can", "sort", "model"),
  component: lazyPage(() => import("./pages/models/models-page.tsx"), "ModelsPage"),
})

const membersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/members",
  component: lazyPage(() => import("./pages/members/members-page.tsx"), "MembersPage"),
})

const noticesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/notices",
  component: lazyPage(() => import("./pages/notices/notices-page.tsx"), "NoticesPage"),
})

const auditRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(search, "account", "search", "actor", "target", "from", "to"),
  component: lazyPage(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
})

const providersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/providers",
  component: lazyPage(() => import("./pages/providers/providers-page.tsx"), "ProvidersPage"),
})

const accountsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/accounts",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(search, "account", "search", "state", "credits", "price_group", "sort"),
  component: lazyPage(() => import("./pages/accounts/accounts-page.tsx"), "AccountsPage"),
})

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/accounts/$account",
  component: lazyPage(() => import("./pages/accounts/account-page.tsx"), "AccountPage"),
})

const priceGroupsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/price-groups",
  component: lazyPage(
    () => import("./pages/price-groups/price-groups-page.tsx"),
    "PriceGroupsPage",
  ),
})

const usersRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/users",
  validateSearch: (search: Record<string, unknown>) => pickTexts(search, "account", "search"),
  component: lazyPage(() => import("./pages/users/users-page.tsx"), "UsersPage"),
})

const codesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/codes",
  component: lazyPage(() => import("./pages/codes/codes-page.tsx"), "CodesPage"),
})

const settingsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings",
  component: lazyPage(() => import("./pages/settings/settings-page.tsx"), "SettingsPage"),
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>) =>
    pickTexts(search, "account", "back", "error", "step"),
  component: lazyPage(() => import("./pages/sign-in/sign-in-page.tsx"), "SignInPage"),
})

const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/setup",
  validateSearch: (search: Record<string, unknown>) => pickTexts(search, "account", "token"),
  component: lazyPage(() => import("./pages/setup/setup-page.tsx"), "SetupPage"),
})

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invitation",
  validateSearch: (search: Record<string, unknown>) => pickTexts(search, "account", "token"),
  component: lazyPage(() => import("./pages/invitation/invitation-page.tsx"), "InvitationPage"),
})

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reset",
  validateSearch: (search: Record<string, unknown>) => pickTexts(search, "account", "token"),
  component: lazyPage(() => import("./pages/reset/reset-page.tsx"), "ResetPage"),
})

const routeTree = rootRoute.addChildren([
  signInRoute,
  setupRoute,
  invitationRoute,
  resetRoute,
  signedInRoute.addChildren([
    overviewRoute,
    keysRoute,
    connectRoute,
    creditsRoute,
    usageRoute,
    requestsRoute,
    receiptRoute,
    sessionRoute,
    profileRoute,
    playgroundRoute,
    modelsRoute,
    membersRoute,
    noticesRoute,
    auditRoute,
    providersRoute,
    accountsRoute,
    accountRoute,
    priceGroupsRoute,
    usersRoute,
    codesRoute,
    settingsRoute,
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: CONSOLE_PATH.slice(0, -1),
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: PageNotFound,
  scrollRestoration: true,
})

// If a session ends while a page is open, the user returns to that page after signing in again.
onSignedOut(() => {
  const isBehindSignIn = router.state.matches.some((match) => match.routeId === signedInRoute.id)
  // If the browser is already opening the sign-in page, the return address is already set.
  if (!isBehindSignIn || router.state.location.pathname.endsWith("/sign-in")) return
  const back = router.state.location.href
  void router.navigate({ to: "/sign-in", search: { back } }).then(endSession)
})

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router
  }
}
