import { reaches } from "tollgate-contract/roles.ts"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useMemo } from "react"
import type { AccountRole } from "tollgate-contract/common.ts"
import type { Session } from "tollgate-contract/session.ts"
import { accountsQuery, oneQuery } from "./api/queries.ts"
import { useSession } from "./session.tsx"

export interface AccountChoice {
  readonly id: string
  readonly name: string
  readonly role: AccountRole | "operator"
}

export interface ChosenAccount {
  /** The selected account; undefined if an operator views all accounts, or if the user has no account. */
  readonly account: AccountChoice | undefined
  /** The id of the selected account, as API queries expect it. */
  readonly accountId: string | undefined
  readonly accounts: readonly AccountChoice[]
  /** Whether an operator views all accounts at once. */
  readonly isAll: boolean
  readonly choose: (id: string) => void
  /** Reports whether the user has the rights of a role in the selected account. Operators always have these rights. */
  readonly may: (role: AccountRole | "operator") => boolean
}

/** Used in place of an account id to select all accounts. Operators only. */
export const ALL_ACCOUNTS = "all"
const REMEMBERED = "tollgate-account"

/**
 * Returns the selected account: the account named in the URL (`?account=`), the account selected last, or the first
 * account.
 */
export function useAccount(): ChosenAccount {
  const session = useSession()
  const navigate = useNavigate()
  const search = useSearch({ strict: false })
  const listed = useQuery({ ...accountsQuery, enabled: session.is_operator })
  const accounts = useMemo(() => choices(session, listed.data?.data), [session, listed.data])
  const wanted = search.account ?? remembered(accounts)
  const isOpen = wanted === undefined && accounts.length !== 1
  const isAll = session.is_operator && (isOpen || wanted === ALL_ACCOUNTS)
  const isListed = accounts.some(({ id }) => id === wanted)
  const named = useQuery({
    ...oneQuery("GET /accounts/{id}", { path: { id: wanted ?? "" } }),
    enabled: session.is_operator && !isAll && wanted !== undefined && !isListed,
  })
  const account = isAll
    ? undefined
    : find(accounts, wanted, { isOperator: session.is_operator, name: named.data?.name })

  function choose(id: string) {
    localStorage.setItem(REMEMBERED, id)
    void navigate({ to: ".", search: (search: object) => ({ ...search, account: id }) })
  }

  return {
    account,
    accountId: account?.id,
    accounts,
    isAll: account === undefined,
    choose,
    may: (role) => session.is_operator || (account !== undefined && reaches(account.role, role)),
  }
}

/**
 * Returns the account that was last selected in this browser. Returns undefined if this user has no access to it,
 * because another user or another gateway may have stored the selection.
 */
function remembered(accounts: readonly AccountChoice[]): string | undefined {
  const id = localStorage.getItem(REMEMBERED) ?? undefined
  return id === ALL_ACCOUNTS || accounts.some((account) => account.id === id) ? id : undefined
}

function choices(
  session: Session,
  listed: readonly { id: string; name: string }[] | undefined,
): AccountChoice[] {
  if (!session.is_operator) return session.accounts.map((account) => ({ ...account }))
  return (listed ?? session.accounts).map(({ id, name }) => ({ id, name, role: "operator" }))
}

/** Returns the account named in the URL, even if an operator's list does not contain it. */
function find(
  accounts: readonly AccountChoice[],
  wanted: string | undefined,
  {
    isOperator,
    name = wanted,
  }: { readonly isOperator: boolean; readonly name: string | undefined },
): AccountChoice | undefined {
  const found = accounts.find((account) => account.id === wanted)
  if (found !== undefined) return found
  if (isOperator && wanted !== undefined && name !== undefined) {
    return { id: wanted, name, role: "operator" }
  }
  return accounts[0]
}
