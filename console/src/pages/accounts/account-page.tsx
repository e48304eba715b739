import { Button, SimpleGrid, Skeleton } from "@mantine/core"
import { IconPencil } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useState } from "react"
import { ApiError } from "../../api/api-error.ts"
import { accountCreditsQuery, oneQuery } from "../../api/queries.ts"
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
import { t } from "../../languages/text.ts"

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
      title={t("Account not found")}
      action={<LinkButton to="/accounts">{t("Show all accounts")}</LinkButton>}
    >
      {t("No account has this ID. Check the link, or search for the account by name.")}
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
      <Page title={t("Account")}>
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
            {t("Rename")}
          </Button>
          <AccountStateButtons account={account} />
          <LinkButton to="/credits" search={{ account: id, add: "entry" }}>
            {t("Adjust credits")}
          </LinkButton>
        </>
      }
    >
      <AccountBanner account={id} />
      <Balance account={id} />
      <Panel title={t("Details")} actions={<AccountLinks account={id} />}>
        <Facts
          facts={[
            { label: t("ID"), value: <span className="mono">{account.id}</span> },
            { label: t("State"), value: <Status value={account.state} /> },
            { label: t("Created"), value: <When at={account.created_at} isExact /> },
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

/** Opens the pages about the spending of an account. */
function AccountLinks({ account }: { readonly account: string }) {
  return (
    <>
      <LinkButton to="/usage" search={{ account }} variant="default" size="xs">
        {t("Usage")}
      </LinkButton>
      <LinkButton to="/requests" search={{ account }} variant="default" size="xs">
        {t("Requests")}
      </LinkButton>
      <LinkButton to="/credits" search={{ account }} variant="default" size="xs">
        {t("Entries")}
      </LinkButton>
    </>
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
      <Stat label={t("Balance")} isLoading={isPending} value={<Amount value={data?.balance} />} />
      <Stat
        label={t("On hold")}
        isLoading={isPending}
        value={<Amount value={data?.held} />}
        note={t("{count, plural, one {# hold} other {# holds}}", {
          count: data?.holds.length ?? 0,
        })}
      />
      <Stat
        label={t("Available")}
        isLoading={isPending}
        value={<Amount value={data?.available} />}
      />
    </SimpleGrid>
  )
}

function Amount({ value }: { readonly value: string | undefined }) {
  return value === undefined ? null : <Money value={value} decimals={4} hasUnit />
}
