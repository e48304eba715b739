import type { Store } from "../store.ts"
import { auditSteps } from "./audit.ts"
import { backupSteps } from "./backups.ts"
import { invitationSteps } from "./invitations.ts"
import { memberSteps } from "./members.ts"
import { noticeSteps } from "./notices.ts"
import { reconciliationSteps } from "./reconciliations.ts"
import { settingSteps } from "./settings.ts"
import { accountSteps } from "./accounts.ts"
import { batchSteps } from "./batches.ts"
import { codeSteps } from "./codes.ts"
import { deploymentReportSteps } from "./deployment-reports.ts"
import { entrySteps } from "./entries.ts"
import { integritySteps, type SharedIntegrity } from "./integrity.ts"
import { keySteps } from "./keys.ts"
import { paymentSteps } from "./payments.ts"
import { personKeySteps } from "./person-keys.ts"
import { settlementSteps, type SharedSettlements } from "./settlements.ts"
import { vendorStateSteps } from "./vendor-state.ts"
import type { StepGroups } from "./step.ts"

/** The methods of the store that are implemented once for all engines. */
export type SharedStore = Pick<
  Store,
  | "accounts"
  | "audit"
  | "backups"
  | "batches"
  | "codes"
  | "deploymentReports"
  | "entries"
  | "invitations"
  | "keys"
  | "members"
  | "notices"
  | "payments"
  | "personKeys"
  | "reconciliations"
  | "settings"
  | "vendorState"
> & { readonly integrity: SharedIntegrity; readonly settlements: SharedSettlements }

export const STORE_STEPS: StepGroups<SharedStore> = {
  audit: auditSteps,
  backups: backupSteps,
  invitations: invitationSteps,
  members: memberSteps,
  notices: noticeSteps,
  reconciliations: reconciliationSteps,
  settings: settingSteps,
  accounts: accountSteps,
  batches: batchSteps,
  codes: codeSteps,
  deploymentReports: deploymentReportSteps,
  entries: entrySteps,
  integrity: integritySteps,
  keys: keySteps,
  payments: paymentSteps,
  personKeys: personKeySteps,
  settlements: settlementSteps,
  vendorState: vendorStateSteps,
}
