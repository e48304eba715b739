import { accountRoutes, creditRoutes } from "./accounts.ts"
import { labelBudgetRoutes } from "./label-budgets.ts"
import { memberKeyRoutes } from "./member-keys.ts"
import { modelRoutes, providerRoutes } from "./catalog-routes.ts"
import { codeRoutes } from "./codes.ts"
import { failureRoutes } from "./failures.ts"
import { keyRoutes } from "./keys.ts"
import { acceptanceRoutes, invitationRoutes, memberRoutes, userRoutes } from "./members.ts"
import { auditRoutes, settingsRoutes } from "./operations.ts"
import { noticeRoutes } from "./notices.ts"
import { passwordRoutes, proofRoutes, twoFactorRoutes } from "./own-password.ts"
import { passkeyRoutes, passkeySignInRoutes } from "./passkeys.ts"
import { priceGroupRoutes } from "./price-groups.ts"
import { priceRoutes } from "./prices.ts"
import { receiptRoutes } from "./receipts.ts"
import { sessionRoutes, signInRoutes } from "./session.ts"
import { systemRoutes } from "./system.ts"
import { usageRoutes } from "./usage.ts"
import { writeOffRoutes } from "./write-offs.ts"
import { billingGapRoutes } from "./billing-gaps.ts"
import { reconciliationRoutes } from "./reconciliations.ts"

/** The routes of the management API, `/admin/v1`, in the order of `/openapi.json` and `/docs`. */
export const ROUTES = {
  ...accountRoutes,
  ...creditRoutes,
  ...labelBudgetRoutes,
  ...memberKeyRoutes,
  ...codeRoutes,
  ...keyRoutes,
  ...receiptRoutes,
  ...failureRoutes,
  ...usageRoutes,
  ...writeOffRoutes,
  ...billingGapRoutes,
  ...reconciliationRoutes,
  ...noticeRoutes,
  ...auditRoutes,
  ...providerRoutes,
  ...modelRoutes,
  ...priceRoutes,
  ...priceGroupRoutes,
  ...settingsRoutes,
  ...systemRoutes,
  ...signInRoutes,
  ...sessionRoutes,
  ...passwordRoutes,
  ...proofRoutes,
  ...twoFactorRoutes,
  ...passkeySignInRoutes,
  ...passkeyRoutes,
  ...invitationRoutes,
  ...memberRoutes,
  ...acceptanceRoutes,
  ...userRoutes,
}
