import { useQuery } from "@tanstack/react-query"
import { useAccount } from "../account.tsx"
import { accountNameQuery } from "../api/account-name.ts"
import { oneQuery } from "../api/queries.ts"

/** What an account is called; its id until that is known. */
export function AccountName({ id }: { readonly id: string }) {
  const known = useAccount().accounts.find((account) => account.id === id)?.name
  const asked = useQuery({ ...accountNameQuery(id), enabled: known === undefined })
  return <span className="anywhere">{known ?? asked.data ?? id}</span>
}

/** The account of a key. */
export function AccountOfKey({ id }: { readonly id: string }) {
  const { data } = useQuery({ ...oneQuery("GET /keys/{id}", { path: { id } }), staleTime: 60_000 })
  return data === undefined ? null : <AccountName id={data.account} />
}

/** What a key is called; its id until that is known. @param known the names that are there already, by id. */
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
