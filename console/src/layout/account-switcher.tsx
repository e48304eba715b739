import { Select, Text } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { IconBuilding } from "../ui/icons.tsx"
import { ALL_ACCOUNTS, useAccount } from "../account.tsx"
import { accountsQuery, oneQuery } from "../api/queries.ts"
import { useSession } from "../session.tsx"
import { t } from "../languages/text.ts"

/** Maximum number of options. Further accounts are found by typing. */
const SHOWN = 200

/** Shows the selected account, with a selector if there are several. */
export function AccountSwitcher() {
  const session = useSession()
  const { account, accounts, choose } = useAccount()
  const [typed, setTyped] = useState("")
  const found = useFound(typed, session.is_operator)
  if (!session.is_operator && accounts.length < 2) {
    return account === undefined ? null : (
      <Text size="sm" c="dimmed" px="xs" truncate>
        {account.name}
      </Text>
    )
  }
  const names = new Map([...accounts, ...found, ...(account ? [account] : [])].map(nameById))
  const data = [...names].map(([value, label]) => ({ value, label }))
  if (session.is_operator) data.unshift({ value: ALL_ACCOUNTS, label: t("All accounts") })
  return (
    <Select
      aria-label={t("Account")}
      data={data}
      value={account?.id ?? ALL_ACCOUNTS}
      onChange={(id) => id !== null && choose(id)}
      searchable={data.length > 8}
      limit={SHOWN}
      onSearchChange={setTyped}
      // Selects the current name, so that typing replaces it.
      onFocus={(event) => event.currentTarget.select()}
      onClick={(event) => event.currentTarget.select()}
      allowDeselect={false}
      leftSection={<IconBuilding size={16} />}
      nothingFoundMessage={t("No account with that name")}
    />
  )
}

function nameById({ id, name }: { readonly id: string; readonly name: string }) {
  return [id, name] as const
}

/** Searches by name among the accounts that are not loaded. */
function useFound(typed: string, isOperator: boolean) {
  const [search] = useDebouncedValue(typed.trim().slice(0, 100), 200)
  const { data: loaded } = useQuery({ ...accountsQuery, enabled: isOperator })
  const isPart = loaded !== undefined && loaded.next_cursor !== null
  const { data: found } = useQuery({
    ...oneQuery("GET /accounts", { query: { search, sort: "name" } }),
    enabled: isPart && search !== "",
  })
  return found?.data ?? []
}
