import { useAccount } from "../../account.tsx"
import { Page } from "../../ui/page.tsx"
import { MemberList } from "./member-list.tsx"

/** Shows the users of the selected account with their roles. */
export function MembersPage() {
  const { account, may } = useAccount()
  return (
    <Page
      title="Members"
      description={
        account === undefined
          ? "Who can sign in, across all accounts. Choose an account to invite someone."
          : `Who can sign in to ${account.name}, and what each of them may do.`
      }
    >
      <MemberList account={account?.id} mayChange={may("owner")} />
    </Page>
  )
}
