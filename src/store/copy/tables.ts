import { SUM_NAMES } from "../request-names.ts"
import { SUMS } from "../usage-sums.ts"

/** A table that both engines have, with the names that PostgreSQL uses. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** All tables that are not derived from others. A table comes after the tables that it refers to. */
export const TABLES: readonly CopiedTable[] = [
  table("accounts", "id name created_at stores_content state limits"),
  table(
    "keys",
    "id account name models aliases origins budget daily_budget monthly_budget requests_per_minute tokens_per_minute " +
      "concurrent_requests created_at created_by expires_at revoked_at paused_at read_only addresses revision",
  ),
  table("key_secrets", "hash key hint created_at expires_at"),
  table("revisions", "name number"),
  table(
    "audit",
    "number at actor_kind actor_id actor_name action account target before_body after_body address previous_hash hash",
  ),
  table("person_keys", "person address_hash key erased_at"),
  table("redactions", "record account number hash"),
  table("codes", "id hash hint note amount uses used created_at expires_at revoked_at author"),
  table("redemptions", "code account entry"),
  table("members", "id account user_id role joined_at"),
  table(
    "invitations",
    "id account email role token_hash invited_by created_at expires_at accepted_at",
  ),
  table("console_settings", "section id body encrypted revision changed_at"),
  table("balances", "owner posted leased allotted"),
  table("recalls", "owner node at amount"),
  table("write_offs", "number at account key request amount reason previous_hash hash"),
  // Entries with the receipts of their requests, and receipts of uncharged requests.
  table(
    "entries",
    "position account number kind amount balance at request note author receipt_hash previous_hash hash key budgets " +
      "receipt replaced",
  ),
  // The sums that replace pruned rows in the ledger and in reports.
  table("pruned_rows", "until row_count hash_sum last_row"),
  table("last_pruned_entries", "account number balance hash"),
  table("pruned_budgets", "owner spent"),
  table("pruned_hours", ["hour", ...SUM_NAMES, ...SUMS].join(" ")),
  table("pruned_key_uses", "key last_used_at requests spent"),
  table("payments", "id account entry"),
  table("debts", "account number amount debt at note entry previous_hash hash"),
  table("card_payments", "intent payment account amount units currency taken"),
  table("reversals", "id intent kind units is_undone"),
  table(
    "anchor",
    "last_row last_hash row_count hash_sum at write_offs write_offs_hash audit audit_hash",
  ),
  table(
    "vendor_state",
    "number id_hash provider kind account request tokens created_at expires_at",
  ),
  table("idempotency", "scope key fingerprint request node claimed_at rights state size"),
  table("contents", "request account at asked answered"),
  table("conversation_parts", "hash response account at expires_at bytes encrypted"),
  table("users", "id name email password_hash is_operator is_disabled created_at last_seen_at"),
  table("identities", "provider subject user_id created_at"),
  table("sessions", "id token_hash user_id is_remembered created_at expires_at address agent"),
  table("second_factors", "user_id secret backup_codes is_active last_step failures locked_until"),
  table(
    "passkeys",
    "id user_id credential public_key counter transports name created_at last_used_at",
  ),
  table("proofs", "hash kind user_id value attempts expires_at"),
  table("notice_targets", "id account channel hint encrypted types balance_below created_at"),
  table("notices", "number id account type at data"),
  table("notice_deliveries", "notice target state attempts at error"),
  table("notice_marks", "name value at"),
  table("backups", "place at every"),
  table("reconciliations", "provider number at body"),
  table("provider_corrections", "provider day number amount"),
  table("attempts", "key count begun_at"),
]

function table(name: string, columns: string): CopiedTable {
  return { name, columns: columns.split(" ") }
}
