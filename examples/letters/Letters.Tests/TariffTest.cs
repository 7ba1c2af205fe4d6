using Letters;
using Xunit;

public class TariffTest
{
    [Theory]
    [InlineData(10, 20)]
    [InlineData(400, 600)]
    public void NoLetterIsCheaperThanALighterOne(int light, int heavy)
    {
        if (0 < light && light <= heavy && heavy <= 1000)
        {
            Assert.True(Tariff.Price(light) <= Tariff.Price(heavy));
        }
    }

    [Theory]
    [InlineData(95, 10)]
    [InlineData(290, 0)]
    public void ADiscountNeverMakesALetterDearer(int price, int percent)
    {
        if (price >= 0 && 0 <= percent && percent <= 100)
        {
            Assert.True(Tariff.Discounted(price, percent) <= price);
        }
    }
}
