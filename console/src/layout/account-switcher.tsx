import { Select, Text } from "@mantine/core"
import { IconBuilding } from "../ui/icons.tsx"
import { ALL_ACCOUNTS, useAccount } from "../account.tsx"
import { useSession } from "../session.tsx"

/** The account that the pages are about. Nothing to choose when there is one. */
export function AccountSwitcher() {
  const session = useSession()
  const { account, accounts, choose } = useAccount()
  if (!session.is_operator && accounts.length < 2) {
    return account === undefined ? null : (
      <Text size="sm" c="dimmed" px="xs" truncate>
        {account.name}
      </Text>
    )
  }
  const data = accounts.map(({ id, name }) => ({ value: id, label: name }))
  if (session.is_operator) data.unshift({ value: ALL_ACCOUNTS, label: "All accounts" })
  return (
    <Select
      aria-label="Account"
      data={data}
      value={account?.id ?? ALL_ACCOUNTS}
      onChange={(id) => id !== null && choose(id)}
      searchable={data.length > 8}
      // What is typed replaces the name that stands there.
      onFocus={(event) => event.currentTarget.select()}
      onClick={(event) => event.currentTarget.select()}
      allowDeselect={false}
      leftSection={<IconBuilding size={16} />}
      nothingFoundMessage="No account with that name"
    />
  )
}
