/** Names of months and days: the calendars take them from here in the language of the console. */
import 'dayjs/locale/ru';
import 'dayjs/locale/zh-cn';
