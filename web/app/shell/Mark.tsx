/** The logo of favicon.svg, without a separate request. */
export const Mark = () => (
  <svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#0958d9" />
    <path
      d="M4 17h6l3-8 5 15 4-10 2 3h4"
      fill="none"
      stroke="#fff"
      strokeWidth="2.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);
