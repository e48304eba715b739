import { readPeriodOwner } from "../../accounting/budget-periods.ts"
import { readLabelHolder } from "../../accounting/label-budgets.ts"
import { formatCredits } from "../../ledger/money.ts"
import type { AccountRecord } from "../../store/accounts.ts"
import type { BudgetRecord, KeyRecord } from "../../store/keys.ts"
import type { MemberRecord } from "../../store/members.ts"
import { COMMAND_LINE } from "../actor.ts"
import { accountDocument } from "../account-document.ts"
import { keyDocument } from "../key-document.ts"
import { budgetDocument, labelDocument } from "../label-budgets.ts"
import { memberKeyRulesOf } from "../member-keys.ts"
import { memberDocument } from "../members.ts"
import {
  allPages,
  columnsOf,
  type ExportedRow,
  type ExportedTable,
  type ExportScope,
  idsOf,
} from "./exported-table.ts"
import { momentOrNull, momentText } from "../moment-text.ts"

const ACCOUNT_COLUMNS =
  "id name created_at balance debt stores_content state models requests_per_minute tokens_per_minute concurrent_requests " +
  "max_keys max_invitations max_hourly_spend_ratio daily_budget daily_budget_left monthly_budget monthly_budget_left price_group label_budgets member_keys"
const MEMBER_COLUMNS = "id account user name email role joined_at"
const KEY_COLUMNS =
  "id account name hint status is_paused is_read_only models aliases budget daily_budget monthly_budget " +
  "requests_per_minute tokens_per_minute concurrent_requests created_at created_by expires_at origins addresses grace_until"
const BUDGET_COLUMNS = "account key user tag period starts_at spent"

/** Returns the tables of accounts, members, keys and budgets. */
export function accountTables(scope: ExportScope): ExportedTable[] {
  const { accounts, hasKeyHashes } = scope
  return [
    {
      name: "accounts",
      columns: columnsOf(ACCOUNT_COLUMNS),
      rows: () => accounts.map(accountRow),
    },
    { name: "members", columns: columnsOf(MEMBER_COLUMNS), rows: () => members(scope) },
    {
      name: "keys",
      columns: columnsOf(hasKeyHashes ? `${KEY_COLUMNS} secrets` : KEY_COLUMNS),
      rows: () => keys(scope),
    },
    { name: "budgets", columns: columnsOf(BUDGET_COLUMNS), rows: () => budgets(scope) },
  ]
}

function accountRow(account: AccountRecord): ExportedRow {
  const { labelBudgets = [] } = account.limits
  return {
    ...accountDocument(account),
    label_budgets: labelBudgets.map(budgetDocument),
    member_keys: memberKeyRulesOf(account),
  }
}

async function* members(scope: ExportScope): AsyncGenerator<ExportedRow> {
  const { store, users } = scope.snapshot
  const all = allPages<MemberRecord>((last, limit) => {
    const after = last && { at: last.joinedAt, id: last.id }
    return store.members.list({ accounts: idsOf(scope) }, after, limit)
  })
  for await (const member of all) {
    const names = await users.many([member.user])
    yield memberDocument(member, names.get(member.user))
  }
}

/** Yields keys, newest first. */
async function* keys(scope: ExportScope): AsyncGenerator<ExportedRow> {
  const { snapshot, now, hasKeyHashes } = scope
  const filter = { accounts: idsOf(scope), now }
  const all = allPages<KeyRecord>((last, limit) => {
    const after = last && { at: last.createdAt, id: last.id }
    return snapshot.store.keys.list(filter, after, limit)
  })
  for await (const key of all) {
    // The total spending of a key can be computed from the entries, so it is not exported.
    const document = keyDocument(COMMAND_LINE, key, now)
    const { last_used_at: _lastUsed, spent: _spent, may_change: _mayChange, ...row } = document
    yield hasKeyHashes ? { ...row, secrets: secretsOf(key) } : row
  }
}

function secretsOf({ secrets }: KeyRecord): object[] {
  return secrets.map(({ hash, hint, createdAt, expiresAt }) => ({
    hash,
    hint,
    created_at: momentText(createdAt),
    expires_at: momentOrNull(expiresAt),
  }))
}

/** Yields the spending of each budget for each of its periods. */
async function* budgets(scope: ExportScope): AsyncGenerator<ExportedRow> {
  const wanted = new Set(scope.accounts.map(({ id }) => id))
  const all = allPages<BudgetRecord>((last, limit) =>
    scope.snapshot.store.keys.listBudgets(last?.owner ?? "", limit),
  )
  for await (const { owner, account, spent } of all) {
    if (!wanted.has(account)) continue
    const period = readPeriodOwner(owner)
    const holder = period?.holder ?? owner
    const label = readLabelHolder(holder)?.label
    const isOfKey = label === undefined && holder !== account
    yield {
      account,
      key: isOfKey ? holder : null,
      ...(label === undefined ? { user: null, tag: null } : labelDocument(label)),
      period: period?.period ?? "total",
      starts_at: period === undefined ? null : momentText(period.from),
      spent: formatCredits(spent),
    }
  }
}
