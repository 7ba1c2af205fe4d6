// Replaces code of the class library that moves ASCII characters in blocks.

namespace Models.System.Text
{
    using global::System;

    static class Ascii
    {
        // The number of ASCII characters with which the text begins, which are written as bytes.
        static unsafe nuint NarrowUtf16ToAscii(char* pUtf16Buffer, byte* pAsciiBuffer, nuint elementCount)
        {
            nuint i = 0;
            while (i < elementCount && pUtf16Buffer[i] < 128)
            {
                pAsciiBuffer[i] = (byte)pUtf16Buffer[i];
                i++;
            }
            return i;
        }

        static unsafe nuint WidenAsciiToUtf16(byte* pAsciiBuffer, char* pUtf16Buffer, nuint elementCount)
        {
            nuint i = 0;
            while (i < elementCount && pAsciiBuffer[i] < 128)
            {
                pUtf16Buffer[i] = (char)pAsciiBuffer[i];
                i++;
            }
            return i;
        }
    }
}
