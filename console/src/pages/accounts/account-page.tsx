import { Button, SimpleGrid, Skeleton } from "@mantine/core"
import { IconPencil } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { ApiError } from "../../api/api-error.ts"
import { accountCreditsQuery, oneQuery } from "../../api/queries.ts"
import { counted } from "../../format/numbers.ts"
import { AccountBanner } from "../../ui/account-banner.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Facts } from "../../ui/facts.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Money } from "../../ui/money.tsx"
import { Page } from "../../ui/page.tsx"
import { Panel } from "../../ui/panel.tsx"
import { Stat } from "../../ui/stat.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import { MemberList } from "../members/member-list.tsx"
import { AccountKeys } from "./account-keys.tsx"
import { AccountStateButtons } from "./account-state.tsx"
import { ContentSwitch } from "./content-switch.tsx"
import { LimitsPanel } from "./limits-panel.tsx"
import { PriceGroupSelect } from "./price-group-select.tsx"
import { RenameModal } from "./rename-modal.tsx"

const route = getRouteApi("/signed-in/accounts/$account")

interface AccountFailureProperties {
  readonly error: unknown
  readonly retry: () => void
}

function AccountFailure({ error, retry }: AccountFailureProperties) {
  if (!(error instanceof ApiError) || error.status !== 404) {
    return <ErrorNotice error={error} retry={retry} />
  }
  return (
    <EmptyState
      title="Account not found"
      action={<LinkButton to="/accounts">Show all accounts</LinkButton>}
    >
      No account has this ID. Check the link, or search for the account by name.
    </EmptyState>
  )
}

/** Shows one account, for operators. */
export function AccountPage() {
  const { account: id } = route.useParams()
  const {
    data: account,
    error,
    refetch,
  } = useQuery(oneQuery("GET /accounts/{id}", { path: { id } }))
  const [isRenaming, setRenaming] = useState(false)
  if (account === undefined) {
    return (
      <Page title="Account">
        <AccountFailure error={error} retry={() => void refetch()} />
        {error === null && <Skeleton height={240} />}
      </Page>
    )
  }
  return (
    <Page
      title={account.name}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconPencil size={16} />}
            onClick={() => setRenaming(true)}
          >
            Rename
          </Button>
          <AccountStateButtons account={account} />
          <LinkButton to="/credits" search={{ account: id }}>
            Adjust credits
          </LinkButton>
        </>
      }
    >
      <AccountBanner account={id} />
      <Balance account={id} />
      <Panel title="Details">
        <Facts
          facts={[
            { label: "ID", value: <span className="mono">{account.id}</span> },
            { label: "State", value: <Status value={account.state} /> },
            { label: "Created", value: <When at={account.created_at} isExact /> },
          ]}
        />
        <PriceGroupSelect account={account} />
        <ContentSwitch account={account} />
      </Panel>
      <LimitsPanel account={account} />
      <AccountKeys account={id} />
      <MemberList account={id} mayChange />
      <RenameModal account={account} isOpen={isRenaming} onClose={() => setRenaming(false)} />
    </Page>
  )
}

function Balance({ account }: { readonly account: string }) {
  const { data, isPending, error } = useQuery({
    ...accountCreditsQuery(account),
    refetchInterval: 10_000,
  })
  if (error !== null) return <ErrorNotice error={error} />
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
      <Stat label="Balance" isLoading={isPending} value={<Amount value={data?.balance} />} />
      <Stat
        label="On hold"
        isLoading={isPending}
        value={<Amount value={data?.held} />}
        note={counted(data?.holds.length ?? 0, "hold")}
      />
      <Stat label="Available" isLoading={isPending} value={<Amount value={data?.available} />} />
    </SimpleGrid>
  )
}

function Amount({ value }: { readonly value: string | undefined }) {
  return value === undefined ? null : <Money value={value} decimals={4} hasUnit />
}
