// A server without a violation.
import { serve } from './tiny.mjs';

serve();
