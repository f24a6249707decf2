/** What the gateway says about forwarding. The pages fill in the values. */
export { FORWARDING_TEXTS as FORWARDING } from '../../domain/forwarding/forwarding-texts.ts'
