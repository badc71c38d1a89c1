/** Bounds that server and console both apply. Source: specification §5 and §9. */
export const limits = {
  imageBytes: 2 * 1024 * 1024,
  uploadsOfUserBytes: 200 * 1024 * 1024,
  uploadsInAllBytes: 10 * 1024 ** 3,
  passwordChange: { min: 6, max: 12 },
  passwordAdd: { min: 6, max: 20 },
  passwordStrong: { min: 8, max: 64 },
  phoneDigits: 11,
  /** With the country code. Source: ITU-T E.164. */
  phoneDigitsE164: { min: 8, max: 15 },
  /** Length of a name in Chinese characters, and in other scripts. */
  realName: { min: 2, max: 7 },
  otherName: { min: 2, max: 60 },
  captchaDigits: 4,
  captchaMs: 2 * 60_000,
  captchaTries: 5,
  smsMs: 5 * 60_000,
  requestTimeoutMs: 20_000,
  /** The console gives up loading a part after this time. */
  chunkTimeoutMs: 120_000,
  menuRedirectMs: 500,
  /** A session ends after this long without a call, and in any case after `sessionMs`. */
  sessionIdleMs: 12 * 3_600_000,
  sessionMs: 7 * 24 * 3_600_000,
  /**
   * Closing asks for the password again if the last proof is older than this, unless the installation sets
   * another time.
   */
  freshSignInMs: 15 * 60_000,
  /** A line is closed no sooner after it was switched, and no more often. */
  switching: { pauseSeconds: 3, perHour: 10 },
  serialMs: 24 * 3_600_000,
  uploadMinutes: [10, 20, 30, 40, 50, 60],
} as const;
