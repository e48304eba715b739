import { describe } from "bun:test"
import { accountContract } from "./accounts.ts"
import { accountBudgetContract } from "./account-budgets.ts"
import { labelBudgetContract } from "./label-budgets.ts"
import { auditContract } from "./audit.ts"
import { auditedWriteContract } from "./audited-writes.ts"
import { backupContract } from "./backups.ts"
import { batchContract } from "./batches.ts"
import { codeContract } from "./codes.ts"
import { conversationContract } from "./conversations.ts"
import { deploymentReportContract } from "./deployment-reports.ts"
import { entryContract } from "./entries.ts"
import { idempotencyContract } from "./idempotency.ts"
import { integrityContract } from "./integrity.ts"
import { keptFileContract } from "./kept-files.ts"
import { keyContract } from "./keys.ts"
import { labelUsageContract } from "./label-usage.ts"
import { leaseContract } from "./leases.ts"
import { memberContract } from "./members.ts"
import { nodeContract } from "./nodes.ts"
import { noticeContract } from "./notices.ts"
import { failureLogContract } from "./failure-log.ts"
import { payloadLogContract } from "./payload-log.ts"
import { paymentContract } from "./payments.ts"
import { personKeyContract } from "./person-keys.ts"
import { rateLimitContract } from "./rate-limits.ts"
import { reconciliationContract } from "./reconciliations.ts"
import { reportContract } from "./reports.ts"
import { usageContract } from "./usage.ts"
import { pruningContract } from "./pruning.ts"
import { searchedRequestContract } from "./searched-requests.ts"
import { settingContract } from "./settings.ts"
import { settlementContract } from "./settlements.ts"
import { signInContract } from "./sign-in.ts"
import { vendorStateContract } from "./vendor-state.ts"
import type { Engine } from "../engines.ts"
/** The contracts that every engine must fulfill, by aggregate. */
export const CONTRACTS = {
  accounts: accountContract,
  "account budgets": accountBudgetContract,
  "label budgets": labelBudgetContract,
  audit: auditContract,
  "audited writes": auditedWriteContract,
  backups: backupContract,
  batches: batchContract,
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
  "searched requests": searchedRequestContract,
  "payload log": payloadLogContract,
  payments: paymentContract,
  "person keys": personKeyContract,
  "rate limits": rateLimitContract,
  reconciliations: reconciliationContract,
  reports: reportContract,
  usage: usageContract,
  "usage of labels": labelUsageContract,
  pruning: pruningContract,
  settings: settingContract,
  settlements: settlementContract,
  "sign-in": signInContract,
  "vendor state": vendorStateContract,
}

export type Aggregate = keyof typeof CONTRACTS

/** Tests an engine with the contracts of the given aggregates. */
export function testContracts(engine: Engine, aggregates: readonly Aggregate[] = ALL): void {
  for (const aggregate of aggregates) {
    describe(`${engine.name}: ${aggregate}`, () => CONTRACTS[aggregate](engine))
  }
}

const ALL = Object.keys(CONTRACTS) as Aggregate[]
