import { useAccount } from "../../account.tsx"
import { Page } from "../../ui/page.tsx"
import { MemberKeysPanel } from "./member-keys-panel.tsx"
import { MemberList } from "./member-list.tsx"

/** Shows the users of the selected account with their roles. */
export function MembersPage() {
  const { account, may } = useAccount()
  return (
    <Page
      title="Members"
      description={
        account === undefined
          ? "People with access to any account. Choose an account to invite someone."
          : `People with access to ${account.name}, and their roles.`
      }
    >
      <MemberList account={account?.id} mayChange={may("owner")} />
      {account !== undefined && <MemberKeysPanel account={account.id} mayChange={may("owner")} />}
    </Page>
  )
}
