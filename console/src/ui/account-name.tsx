import { useQuery } from "@tanstack/react-query"
import { useAccount } from "../account.tsx"
import { accountNameQuery } from "../api/account-name.ts"
import { oneQuery } from "../api/queries.ts"

/** Shows the name of an account, or its id until the name is loaded. */
export function AccountName({ id }: { readonly id: string }) {
  const known = useAccount().accounts.find((account) => account.id === id)?.name
  const asked = useQuery({ ...accountNameQuery(id), enabled: known === undefined })
  return <span className="anywhere">{known ?? asked.data ?? id}</span>
}

/** Shows the account that a key belongs to. */
export function AccountOfKey({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...oneQuery("GET /keys/{id}", { path: { id } }), staleTime: 60_000 })
  return data === undefined ? null : <AccountName id={data.account} />
}

/**
 * Shows the name of a key, or its id until the name is loaded. @param known names that are already
 * loaded, by id.
 */
export function KeyName({
  id,
  known,
}: {
  readonly id: string
  readonly known: ReadonlyMap<string, string>
}) {
  const name = known.get(id)
  const asked = useQuery({
    ...oneQuery("GET /keys/{id}", { path: { id } }),
    staleTime: 60_000,
    enabled: name === undefined,
  })
  return <span className="anywhere">{name ?? asked.data?.name ?? id}</span>
}
