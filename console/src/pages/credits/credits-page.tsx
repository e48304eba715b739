import { Button, Group, Select, SimpleGrid } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { type AccountChoice, useAccount } from "../../account.tsx"
import { accountCreditsQuery } from "../../api/queries.ts"
import { useSession } from "../../session.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { Money } from "../../ui/money.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Page } from "../../ui/page.tsx"
import { Stat } from "../../ui/stat.tsx"
import { BuyModal } from "./buy-modal.tsx"
import { EntriesPanel } from "./entries-panel.tsx"
import { EntryModal } from "./entry-modal.tsx"
import { HoldsPanel } from "./holds-panel.tsx"
import { LabelBudgetsPanel } from "./label-budgets-panel.tsx"
import { RedeemModal } from "./redeem-modal.tsx"
import { StatementModal } from "./statement-modal.tsx"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/credits")
const POLL_INTERVAL_MS = 5_000

/** Shows the balance, the holds and the ledger entries of an account. */
export function CreditsPage() {
  const { account } = useAccount()
  if (account === undefined) return <ChooseAccount />
  return <AccountCreditsPage key={account.id} account={account} />
}

const WAYS = ["redeem", "buy", "entry"] as const
/** A way to add credits. */
type Way = (typeof WAYS)[number]
type Work = Way | "statement"

function AccountCreditsPage({ account }: { readonly account: AccountChoice }) {
  const isAllowed = useAllowedWays()
  const [work, setWork] = useState<Work>()
  const credits = useQuery({
    ...accountCreditsQuery(account.id),
    refetchInterval: POLL_INTERVAL_MS,
  })
  useReturnFromPayment()
  useWayOfAddress(isAllowed, setWork)
  const close = () => setWork(undefined)
  return (
    <Page
      title={t("Credits")}
      description={account.name}
      actions={
        <>
          <Button variant="default" onClick={() => setWork("statement")}>
            {t("Statement")}
          </Button>
          {isAllowed.entry && (
            <Button variant="default" onClick={() => setWork("entry")}>
              {t("Adjust credits")}
            </Button>
          )}
          {isAllowed.redeem && (
            <Button
              variant={isAllowed.buy ? "default" : "filled"}
              onClick={() => setWork("redeem")}
            >
              {t("Redeem a code")}
            </Button>
          )}
          {isAllowed.buy && <Button onClick={() => setWork("buy")}>{t("Buy with a card")}</Button>}
        </>
      }
    >
      <ErrorNotice
        error={credits.error}
        title={t("The credits could not be loaded")}
        retry={() => void credits.refetch()}
      />
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Amount
          label={t("Balance")}
          value={credits.data?.balance}
          note={t("according to the ledger")}
        />
        <Amount label={t("On hold")} value={credits.data?.held} note={t("for running requests")} />
        <Amount
          label={t("Available")}
          value={credits.data?.available}
          note={t("for new requests")}
        />
      </SimpleGrid>
      <HoldsPanel holds={credits.data?.holds ?? []} />
      <LabelBudgetsPanel account={account.id} />
      <EntriesPanel account={account.id} />
      <RedeemModal account={account} isOpen={work === "redeem"} onClose={close} />
      <BuyModal account={account} isOpen={work === "buy"} onClose={close} />
      <EntryModal account={account} isOpen={work === "entry"} onClose={close} />
      <StatementModal account={account} isOpen={work === "statement"} onClose={close} />
    </Page>
  )
}

interface AmountProperties {
  readonly label: string
  readonly value: string | undefined
  readonly note: string
}

function Amount({ label, value, note }: AmountProperties) {
  return (
    <Stat
      label={label}
      isLoading={value === undefined}
      value={<Money value={value ?? "0"} hasUnit />}
      note={note}
    />
  )
}

/**
 * Handles the return from the payment page. The credits arrive shortly afterwards, when the payment provider confirms
 * the payment.
 */
function useReturnFromPayment() {
  const { paid } = route.useSearch()
  const navigate = route.useNavigate()
  useEffect(() => {
    if (paid === undefined) return
    notifyDone(
      paid === "no"
        ? t("The payment was cancelled. Nothing was charged.")
        : t("Thank you. The credits are added as soon as the payment is confirmed."),
    )
    void navigate({ search: (before) => ({ ...before, paid: undefined }), replace: true })
  }, [paid, navigate])
}

function useAllowedWays(): Readonly<Record<Way, boolean>> {
  const session = useSession()
  const { may } = useAccount()
  return {
    redeem: may("member"),
    buy: may("member") && session.card_payments,
    entry: session.is_operator,
  }
}

/** Opens the dialog named in the URL (`?add=redeem`), if the user may add credits in this way. */
function useWayOfAddress(
  isAllowed: Readonly<Record<Way, boolean>>,
  begin: (way: Way) => void,
): void {
  const { add } = route.useSearch()
  const navigate = route.useNavigate()
  const way = WAYS.find((known) => known === add && isAllowed[known])
  useEffect(() => {
    if (add === undefined) return
    if (way !== undefined) begin(way)
    void navigate({ search: (before) => ({ ...before, add: undefined }), replace: true })
  }, [add, way, begin, navigate])
}

function ChooseAccount() {
  const { accounts, choose } = useAccount()
  return (
    <Page title={t("Credits")}>
      <EmptyState
        title={accounts.length === 0 ? t("No accounts") : t("Choose an account")}
        action={
          accounts.length > 0 && (
            <Group>
              <Select
                aria-label={t("Account")}
                placeholder={t("Choose an account")}
                searchable
                data={accounts.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(id) => id !== null && choose(id)}
              />
            </Group>
          )
        }
      >
        {accounts.length === 0
          ? t(
              "You are not a member of any account yet. Ask an account owner or the operator for an invitation.",
            )
          : t("Each account has its own ledger.")}
      </EmptyState>
    </Page>
  )
}
