import type { AccountReads, AccountWrites } from "./accounts.ts"
import type { AuditReads, AuditWrites } from "./audit.ts"
import type { BackupReads, BackupWrites } from "./backups.ts"
import type { BatchWrites } from "./batches.ts"
import type { CodeReads, CodeWrites } from "./codes.ts"
import type { DeploymentReportWrites } from "./deployment-reports.ts"
import type { EntryReads, EntryWrites } from "./entries.ts"
import type { IdempotencyWrites } from "./idempotency.ts"
import type { IntegrityReads, IntegrityWrites } from "./integrity.ts"
import type { InvitationReads, InvitationWrites } from "./invitations.ts"
import type { KeyReads, KeyWrites } from "./keys.ts"
import type { LeaseWrites } from "./leases.ts"
import type { MemberReads, MemberWrites } from "./members.ts"
import type { NoticeReads, NoticeWrites } from "./notices.ts"
import type { PersonKeyReads, PersonKeyWrites } from "./person-keys.ts"
import type { NodeReads, NodeWrites } from "./nodes.ts"
import type { PaymentReads, PaymentWrites } from "./payments.ts"
import type { RateLimitWrites } from "./rate-limits.ts"
import type { ReconciliationReads, ReconciliationWrites } from "./reconciliations.ts"
import type { SettingReads, SettingWrites } from "./settings.ts"
import type { SettlementReads, SettlementWrites } from "./settlements.ts"
import type { VendorStateReads, VendorStateWrites } from "./vendor-state.ts"

/** Reads a database. Each method sees one state of the database. */
export interface StoreReader extends AsyncDisposable {
  readonly accounts: AccountReads
  readonly audit: AuditReads
  readonly backups: BackupReads
  readonly codes: CodeReads
  readonly entries: EntryReads
  readonly integrity: IntegrityReads
  readonly invitations: InvitationReads
  readonly keys: KeyReads
  readonly members: MemberReads
  readonly nodes: NodeReads
  readonly notices: NoticeReads
  readonly payments: PaymentReads
  readonly personKeys: PersonKeyReads
  readonly reconciliations: ReconciliationReads
  readonly settings: SettingReads
  readonly settlements: SettlementReads
  readonly vendorState: VendorStateReads
}

/**
 * A database, independent of its engine and without SQL. Every method is one atomic step. When a method has returned,
 * its changes are on the disk.
 */
export interface Store extends StoreReader {
  readonly accounts: AccountReads & AccountWrites
  readonly audit: AuditReads & AuditWrites
  readonly backups: BackupReads & BackupWrites
  readonly batches: BatchWrites
  readonly codes: CodeReads & CodeWrites
  readonly entries: EntryReads & EntryWrites
  readonly deploymentReports: DeploymentReportWrites
  readonly idempotency: IdempotencyWrites
  readonly integrity: IntegrityReads & IntegrityWrites
  readonly invitations: InvitationReads & InvitationWrites
  readonly keys: KeyReads & KeyWrites
  readonly leases: LeaseWrites
  readonly members: MemberReads & MemberWrites
  readonly nodes: NodeReads & NodeWrites
  readonly notices: NoticeReads & NoticeWrites
  readonly payments: PaymentReads & PaymentWrites
  readonly personKeys: PersonKeyReads & PersonKeyWrites
  readonly rateLimits: RateLimitWrites
  readonly reconciliations: ReconciliationReads & ReconciliationWrites
  readonly settings: SettingReads & SettingWrites
  readonly settlements: SettlementReads & SettlementWrites
  readonly vendorState: VendorStateReads & VendorStateWrites
}
