import { describe } from "bun:test"
import { accountContract } from "./contract/accounts.ts"
import { accountBudgetContract } from "./contract/account-budgets.ts"
import { labelBudgetContract } from "./contract/label-budgets.ts"
import { auditContract } from "./contract/audit.ts"
import { auditedWriteContract } from "./contract/audited-writes.ts"
import { backupContract } from "./contract/backups.ts"
import { codeContract } from "./contract/codes.ts"
import { conversationContract } from "./contract/conversations.ts"
import { deploymentReportContract } from "./contract/deployment-reports.ts"
import { entryContract } from "./contract/entries.ts"
import { idempotencyContract } from "./contract/idempotency.ts"
import { integrityContract } from "./contract/integrity.ts"
import { keptFileContract } from "./contract/kept-files.ts"
import { keyContract } from "./contract/keys.ts"
import { labelUsageContract } from "./contract/label-usage.ts"
import { leaseContract } from "./contract/leases.ts"
import { memberContract } from "./contract/members.ts"
import { nodeContract } from "./contract/nodes.ts"
import { noticeContract } from "./contract/notices.ts"
import { failureLogContract } from "./contract/failure-log.ts"
import { payloadLogContract } from "./contract/payload-log.ts"
import { paymentContract } from "./contract/payments.ts"
import { peopleContract } from "./contract/people.ts"
import { rateLimitContract } from "./contract/rate-limits.ts"
import { reportContract } from "./contract/reports.ts"
import { usageContract } from "./contract/usage.ts"
import { sealingContract } from "./contract/sealing.ts"
import { settingContract } from "./contract/settings.ts"
import { settlementContract } from "./contract/settlements.ts"
import { signInContract } from "./contract/sign-in.ts"
import { vendorStateContract } from "./contract/vendor-state.ts"
import { ENGINES } from "./engines.ts"

/** What every engine promises, aggregate by aggregate. */
const CONTRACTS = {
  accounts: accountContract,
  "account budgets": accountBudgetContract,
  "label budgets": labelBudgetContract,
  audit: auditContract,
  "audited writes": auditedWriteContract,
  backups: backupContract,
  codes: codeContract,
  conversations: conversationContract,
  "deployment reports": deploymentReportContract,
  entries: entryContract,
  idempotency: idempotencyContract,
  integrity: integrityContract,
  "kept files": keptFileContract,
  keys: keyContract,
  leases: leaseContract,
  "members and invitations": memberContract,
  nodes: nodeContract,
  notices: noticeContract,
  "failure log": failureLogContract,
  "payload log": payloadLogContract,
  payments: paymentContract,
  people: peopleContract,
  "rate limits": rateLimitContract,
  reports: reportContract,
  usage: usageContract,
  "usage of labels": labelUsageContract,
  sealing: sealingContract,
  settings: settingContract,
  settlements: settlementContract,
  "sign-in": signInContract,
  "vendor state": vendorStateContract,
}

for (const engine of ENGINES) {
  for (const [aggregate, contract] of Object.entries(CONTRACTS)) {
    describe(`${engine.name}: ${aggregate}`, () => contract(engine))
  }
}
